// A user of every name in ppgnn.d.ts, for the TypeScript compiler alone; types.mjs compiles it. What must be refused is marked.
import {
  Code, Decision, Device, Features, LedgerEntry, LedgerState, LedgerStorage, LedgerSums, LevelFacts, Limits, Permissions, PlanFacts, Ppgnn, PpgnnError,
  fromHex, indexedDbLedger, load, toHex,
} from '../../web/ppgnn.js';

function said(error: unknown): Code | undefined {
  if (!(error instanceof PpgnnError)) return undefined;
  const sentence: string = error.message;
  // @ts-expect-error: a code is read, never set
  error.code = 'malformed';
  return sentence === '' ? 'damaged' : error.code;
}

async function loaded(bytes: ArrayBuffer, answer: Promise<Response>, module: WebAssembly.Module): Promise<Ppgnn[]> {
  return [await load(), await load(bytes), await load(new Uint8Array(bytes)), await load(answer), await load(module), await load(fetch('ppgnn.wasm'))];
}

function facts(plan: PlanFacts, level: LevelFacts): string {
  const numbers: number[] = [plan.levels, plan.columns, plan.largestSpend, plan.levelLoss, level.budget, level.spend, level.odds,
    level.percent, level.levelPercent, level.bytes];
  const flags: boolean[] = [plan.levelIsPublic, plan.asks, plan.needsPerson];
  const words: string[] = [plan.title, plan.introduction, plan.campaign, plan.rule, plan.hash, ...plan.notes];
  switch (plan.kind) {
    case 'signs': case 'category': case 'buckets': case 'directions': case 'answer':
      return [...words, ...numbers, ...flags].join(' ');
    default: {
      const none: never = plan.kind; // all kinds are named above
      return none;
    }
  }
}

// With everything an application may give.
class Kept implements LedgerStorage {
  #bytes: Uint8Array | null = null;
  #count = 0n;
  async load() { return this.#bytes; }
  async store(bytes: Uint8Array) { this.#bytes = bytes; }
  async exclusive<T>(action: () => Promise<T>) { return action(); }
  async counter() { return this.#count; }
  async raise(value: bigint) { this.#count = value; }
}
const least: LedgerStorage = { load: async () => null, store: async () => {} };
// @ts-expect-error: what is not there is null
const wrong: LedgerStorage = { load: async () => undefined, store: async () => {} };

const limits: Limits[] = [{}, { report: 2 }, { report: 2, lifetime: 10, reports: 3, levelDisclosed: false }, { report: 2, reports: 3n }];
const features: Features[] = [{ ones: [0, 2] }, { ones: new Uint32Array(2) }, { columns: [1], values: new Float32Array([0.5]) }, { dense: [1, 0] }];
// @ts-expect-error: columns without values
const half: Features = { columns: [1] };

function shown(sums: LedgerSums): string {
  const all: bigint = sums.reports;
  const states: Record<LedgerState, string> = { none: 'nothing yet', 'not-asked': 'not asked', reported: 'reported', other: 'of another plan', decides: 'at home' };
  const lines = sums.entries.map((entry: LedgerEntry) =>
    `${entry.campaign} ${entry.plan} ${entry.recipient} ${states[entry.state]} ${entry.bytes + entry.counted + entry.features + entry.level}`);
  return [states[sums.state], all, sums.counted + sums.features + sums.level, ...lines].join('\n');
}

async function decided(device: Device): Promise<string> {
  device.setModel('a model', new Uint8Array(2));
  const decision: Decision = await device.decide({ ones: [0] });
  const likeliest: string = decision.classes[decision.first]?.name ?? '';
  const numbers: number[] = [decision.second, decision.graph, decision.features, ...decision.classes.map((one) => one.probability)];
  return [likeliest, ...numbers, ...decision.groups.map(({ name, nats }) => `${name} ${nats}`)].join(' ');
}

async function reported(ppgnn: Ppgnn, plan: string): Promise<string> {
  const device: Device = ppgnn.open(plan);
  try {
    device.setPerson('ana');
    device.setQuestion(fromHex('00'));
    for (const one of [...limits, ppgnn.defaultLimits()]) device.agree(one);
    device.agree();
    device.setRecipient('https://collector.example');
    const permitted: Permissions[] = [{}, { otherRecipient: true }, { unnamedAgain: true, otherRecipient: false }];
    for (const one of permitted) device.permit(one);
    device.permit();
    // @ts-expect-error: there is no such permission
    device.permit({ everything: true });
    for (const storage of [new Kept(), least, indexedDbLedger(), indexedDbLedger('mine')]) device.useLedger(storage);
    // @ts-expect-error: the features are asked for
    await device.report({ level: 1 });
    const read: Features = device.readFeatures(new Uint8Array(2));
    for (const one of [...features, read]) await device.report({ level: 1, features: one });
    const { bytes, fresh } = await device.report({ level: 1, features: features[0]!, round: 7n });
    const again: Uint8Array = await device.resend();
    await device.notAsked();
    const words: string[] = [device.column(0), device.preview(1), device.question(1), await device.ledgerWords(1), shown(await device.ledger())];
    return [toHex(bytes), fresh, toHex(again), toHex(device.example(1, 3)), ...words, facts(device.plan, device.level(1))].join('\n');
  } catch (error) {
    return said(error) ?? 'not ours';
  } finally {
    device.close();
  }
}

export { decided, half, loaded, reported, wrong };
