/** A person's device in a browser or in node. docs/client.md says what it promises and what an application must show. */

export type Code = 'invalid-argument' | 'malformed' | 'mismatch' | 'certificate' | 'storage' | 'over-limit' | 'not-agreed' |
  'no-ledger' | 'reported' | 'damaged' | 'rolled-back' | 'not-there' | 'not-permitted';

/** Why something was refused: a sentence without private values, and a code for programs. */
export class PpgnnError extends Error {
  readonly code: Code;
}

export interface Ppgnn {
  /** Reads a plan and verifies its certificate; throws where it does not hold. */
  open(plan: string): Device;
  /** What `agree` takes for limits that are not given: 3 nats a report, 10 nats and 10 reports in all. Say them to the person. */
  defaultLimits(): Required<Limits>;
}

/** Loads the module: ppgnn.wasm beside ppgnn.js unless bytes, a Response or a compiled module are given. */
export function load(source?: BufferSource | Response | WebAssembly.Module | Promise<BufferSource | Response | WebAssembly.Module>):
  Promise<Ppgnn>;

/** Levels are counted from 1, the strictest. Numbers named `spend`, `budget`, `loss` are nats. */
export interface PlanFacts {
  readonly kind: 'signs' | 'category' | 'buckets' | 'directions' | 'answer';
  readonly title: string;
  readonly introduction: string;
  readonly campaign: string;
  readonly rule: string;
  readonly hash: string;
  readonly notes: string[];
  readonly levels: number;
  readonly columns: number;
  readonly levelIsPublic: boolean;
  readonly asks: boolean;
  readonly needsPerson: boolean;
  /** Of one report at the most relaxed level: what limits count. */
  readonly largestSpend: number;
  /** About the level, to somebody who knows the features; Infinity where it is sent. */
  readonly levelLoss: number;
}

export interface LevelFacts {
  readonly budget: number;
  readonly spend: number;
  /** By which factor odds between two guesses at the features change at most. */
  readonly odds: number;
  /** What a guess at 50:50 becomes at most, in percent. */
  readonly percent: number;
  /** The same for a guess at the level; 100 where it is sent. */
  readonly levelPercent: number;
  /** Of a report in round 0. */
  readonly bytes: number;
}

/** What the person agreed to; about what a plan may cost anybody, never about the person's own level. */
export interface Limits {
  /** Most nats that one report may cost, at the plan's most relaxed level. */
  readonly report?: number;
  /** Most nats in all, each report counted at its plan's most relaxed level; Infinity: no limit. */
  readonly lifetime?: number;
  /** Most reports in all; Infinity: no limit. */
  readonly reports?: number | bigint;
  readonly levelDisclosed?: boolean;
}

/** What a device does only if the person says so, each time, after having read what it means. */
export interface Permissions {
  /** The report goes to a recipient that it was not made for, who learns all that it tells. */
  readonly otherRecipient?: boolean;
  /** A plan without campaign gets a report although another such plan has one. */
  readonly unnamedAgain?: boolean;
}

/** The columns that are 1; columns with values; or all values from the first column. Columns ascend. */
export type Features =
  | { readonly ones: ArrayLike<number> }
  | { readonly columns: ArrayLike<number>; readonly values: ArrayLike<number> }
  | { readonly dense: ArrayLike<number> };

/** Where the ledger's bytes are kept. They are as private as the features. */
export interface LedgerStorage {
  /** All bytes, or null if there never was a ledger; anything else (undefined, no bytes, an ArrayBuffer) is refused. */
  load(): Promise<Uint8Array | null>;
  /** Replaces them all; must resolve only once they would survive a crash. */
  store(bytes: Uint8Array): Promise<unknown>;
  /** Runs the action while no other tab or process does; leave it out where there is only one. */
  exclusive?<T>(action: () => Promise<T>): Promise<T>;
  /** A counter that never goes back, kept where no backup restores it: rolled-back ledgers are then refused. */
  counter?(): Promise<number | bigint>;
  raise?(value: bigint): Promise<unknown>;
}

/** 'other': there is a report of another plan of the campaign, or to another question; none is made. 'decides', of an entry alone:
 * the device decides by the model whose hash `plan` is, which costs nothing. */
export type LedgerState = 'none' | 'not-asked' | 'reported' | 'other' | 'decides';

export interface LedgerEntry {
  readonly state: LedgerState;
  readonly campaign: string;
  readonly plan: string;
  readonly bytes: number;
  readonly counted: number;
  readonly features: number;
  readonly level: number;
  /** Whom the report was made for; empty: nobody said. */
  readonly recipient: string;
}

export interface LedgerSums {
  /** Of this plan's campaign. */
  readonly state: LedgerState;
  readonly reports: bigint;
  readonly counted: number;
  /** The person's own sums: only to be shown. */
  readonly features: number;
  readonly level: number;
  readonly entries: LedgerEntry[];
}

/** What a device found, and why. Nothing of it was sent. */
export interface Decision {
  readonly classes: { readonly name: string; readonly probability: number }[];
  /** Places of the likeliest class and of the next in `classes`. */
  readonly first: number;
  readonly second: number;
  /** Of the lead of the first over the second, in nats: what graph and labels say, what the features say, and of that each group of columns. */
  readonly graph: number;
  readonly features: number;
  readonly groups: { readonly name: string; readonly nats: number }[];
}

export interface Device {
  readonly plan: PlanFacts;
  level(level: number): LevelFacts;
  column(index: number): string;
  /** What would leave the device at a level, in words, with the question if there is one. */
  preview(level: number): string;
  /** The question's wording at a level, and the columns that weigh most in it. */
  question(level: number): string;
  /** What a report looks like, of somebody without any feature; costs nothing and is not to be sent. */
  example(level: number, round?: number | bigint): Uint8Array;

  setPerson(name: string): void;
  setQuestion(bytes: Uint8Array): void;
  /** Whom the report is for: the collector's address, or another name of 1 to 255 bytes. The ledger hands the report to nobody else. */
  setRecipient(name: string): void;
  /** Replaces what was permitted before; without a word, nothing is: 'not-permitted'. */
  permit(permissions?: Permissions): void;
  /** Holds the plan to the limits; no report is made before. What is not given is as defaultLimits says. */
  agree(limits?: Limits): void;
  useLedger(storage: LedgerStorage): void;
  /** Features of a person's own file, CSV or JSON (docs/formats/features.md); throws where the file could mean two things. */
  readFeatures(bytes: Uint8Array): { readonly columns: Uint32Array; readonly values: Float32Array };

  /** The campaign's one report. After the first time the same bytes, whatever level, features and round are. */
  report(asked: { level: number; features: Features; round?: number | bigint }): Promise<{ bytes: Uint8Array; fresh: boolean }>;
  resend(): Promise<Uint8Array>;
  notAsked(): Promise<void>;
  ledger(): Promise<LedgerSums>;
  /** What was spent and what this report would add at a level. */
  ledgerWords(level: number): Promise<string>;
  /** The campaign's published model and the person's hint, on a device opened with the plan of the people who calibrated the model;
   * throws for a model that this plan does not ask about. */
  setModel(text: string, hint: Uint8Array): void;
  /** **An action that others can see is a report without a bound**: what an application does visibly because of a decision tells of the
   * features, and no certificate and no ledger counts it. Decides on the device by model, hint and features; nothing is sent or spent.
   * Without a feature (`{ ones: [] }`) the hint decides alone. The ledger takes one model and one hint a campaign: 'reported' for others. */
  decide(features: Features): Promise<Decision>;
  /** Ends the device and wipes what it held. */
  close(): void;
}

export function indexedDbLedger(name?: string): LedgerStorage;
export function toHex(bytes: Uint8Array): string;
export function fromHex(text: string): Uint8Array;
