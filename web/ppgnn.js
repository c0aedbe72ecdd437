// A person's device in a browser or in node: include/ppgnn/client/ppgnn_client.h as a module. docs/client.md says what it
// promises; ppgnn.d.ts has the types. No dependency, no request but the one that fetches ppgnn.wasm.

const CODES = ['ok', 'invalid-argument', 'malformed', 'mismatch', 'certificate', 'storage', 'too-small', 'over-limit',
  'not-agreed', 'no-ledger', 'reported', 'damaged', 'rolled-back', 'not-there', 'not-permitted'];
const STATES = ['none', 'not-asked', 'reported', 'other', 'decides'];
const TOO_SMALL = 6;
const ABI = 4;

/** Why something was refused: a sentence without private values, and `code` for programs. */
export class PpgnnError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'PpgnnError';
    this.code = code;
  }
}

// The one thing the module asks of its host; at most 65,536 bytes at once, and it asks for 32.
function fillWithEntropy(crypto, memory, at, size) {
  crypto.getRandomValues(new Uint8Array(memory.buffer, at, size));
  return 0;
}

async function compile(source) {
  if (source === undefined) {
    const url = new URL('ppgnn.wasm', import.meta.url);
    if (url.protocol !== 'file:') source = fetch(url);
    else source = (await import('node:fs/promises')).readFile(url);
  }
  source = await source;
  if (source instanceof WebAssembly.Module) return source;
  if (typeof Response !== 'undefined' && source instanceof Response) source = await source.arrayBuffer();
  return WebAssembly.compile(source);
}

/** Loads the module: from beside this file, or from bytes, a Response, or a WebAssembly.Module. */
export async function load(source) {
  let memory;
  const crypto = globalThis.crypto ?? (await import('node:crypto')).webcrypto; // node 18 has no global one
  const instance = await WebAssembly.instantiate(await compile(source), {
    wasi_snapshot_preview1: { random_get: (at, size) => fillWithEntropy(crypto, memory, at, size) },
  });
  memory = instance.exports.memory;
  instance.exports._initialize();
  if (instance.exports.ppgnn_abi_version() < ABI) throw new PpgnnError('mismatch', 'ppgnn.wasm is older than ppgnn.js');
  return { open: (plan) => new Device(instance.exports, plan), defaultLimits: () => defaultLimits(instance.exports) };
}

// Memory of the module for the time of one call; wiped when it is given back.
class Arena {
  constructor(module) {
    this.module = module;
    this.blocks = [];
  }
  room(size) {
    const at = this.module.ppgnn_web_allocate(size);
    if (at === 0) throw new PpgnnError('storage', 'out of memory');
    this.blocks.push(at);
    return at;
  }
  put(bytes) {
    const at = this.room(bytes.byteLength);
    new Uint8Array(this.module.memory.buffer, at, bytes.byteLength)
      .set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return at;
  }
  view(at, size) {
    return new DataView(this.module.memory.buffer, at, size);
  }
  bytes(at, size) {
    return new Uint8Array(this.module.memory.buffer, at, size).slice();
  }
  text(at, size) {
    return new TextDecoder().decode(this.bytes(at, size));
  }
  release() {
    for (const at of this.blocks) this.module.ppgnn_web_free(at);
  }
}

function within(module, action) {
  const arena = new Arena(module);
  try {
    return action(arena);
  } finally {
    arena.release();
  }
}

function defaultLimits(module) {
  return within(module, (arena) => {
    const at = arena.room(32);
    module.ppgnn_default_limits(at);
    const view = arena.view(at, 32);
    return { report: view.getFloat64(0, true), lifetime: view.getFloat64(8, true), reports: view.getBigUint64(16, true), levelDisclosed: false };
  });
}

// A copy in the module's number format. A value that is no number is refused by name of the field, not by value.
function numbers(Type, list, field) {
  if (!list || typeof list.length !== 'number') throw new PpgnnError('invalid-argument', `features: ${field} must be a list`);
  for (let i = 0; i < list.length; i++) {
    const fits = Type === Uint32Array ? Number.isInteger(list[i]) && list[i] >= 0 && list[i] < 2 ** 32 : typeof list[i] === 'number';
    if (!fits) throw new PpgnnError('invalid-argument', `features: ${field} must hold numbers`);
  }
  return Type.from(list);
}

function putFeatures(arena, features) {
  const { ones, columns, values, dense } = features ?? {};
  let form, count, where = 0, what = 0;
  const putAll = (copy) => {
    try {
      return arena.put(copy);
    } finally {
      copy.fill(0);
    }
  };
  if (ones) {
    form = 2;
    count = ones.length;
    where = putAll(numbers(Uint32Array, ones, 'ones'));
  } else if (columns) {
    form = 1;
    count = columns.length;
    if (!values || values.length !== count) throw new PpgnnError('invalid-argument', 'features: one value a column');
    where = putAll(numbers(Uint32Array, columns, 'columns'));
    what = putAll(numbers(Float32Array, values, 'values'));
  } else {
    if (!dense) throw new PpgnnError('invalid-argument', 'features: must have ones, columns and values, or dense');
    form = 0;
    count = dense.length;
    what = putAll(numbers(Float32Array, dense, 'dense'));
  }
  const at = arena.room(20);
  const view = arena.view(at, 20);
  [form, 0, where, what, count].forEach((word, i) => view.setUint32(4 * i, word, true));
  return at;
}

// What is done with one ledger is done one after the other, also by several devices.
const queues = new WeakMap();
function inTurn(storage, action) {
  const before = queues.get(storage) ?? Promise.resolve();
  const mine = before.then(() => (storage.exclusive ? storage.exclusive(action) : action()));
  queues.set(storage, mine.catch(() => {}));
  return mine;
}

class Device {
  #module;
  #client;
  #storage;

  constructor(module, plan) {
    this.#module = module;
    within(module, (arena) => {
      const text = new TextEncoder().encode(plan);
      const out = arena.room(4);
      const error = arena.room(512);
      const code = module.ppgnn_open(arena.put(text), text.length, out, error, 512);
      if (code !== 0) {
        const sentence = arena.bytes(error, 512);
        throw new PpgnnError(CODES[code], new TextDecoder().decode(sentence.subarray(0, sentence.indexOf(0))));
      }
      this.#client = arena.view(out, 4).getUint32(0, true);
    });
  }

  close() {
    this.#module.ppgnn_close(this.#client);
    this.#client = 0;
  }

  #call(name, ...args) {
    if (this.#client === 0) throw new PpgnnError('invalid-argument', 'the device is closed');
    const code = this.#module[name](this.#client, ...args);
    if (code === 0) return;
    const at = this.#module.ppgnn_error(this.#client);
    const bytes = new Uint8Array(this.#module.memory.buffer, at, 512);
    throw new PpgnnError(CODES[code] ?? String(code), new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)).slice()));
  }

  // Asks for the size, then for the thing itself.
  #sized(name, ending, ...args) {
    return within(this.#module, (arena) => {
      const size = arena.room(4);
      try {
        this.#call(name, ...args, 0, 0, size);
      } catch (error) {
        if (error.code !== CODES[TOO_SMALL]) throw error;
      }
      const capacity = arena.view(size, 4).getUint32(0, true) + ending;
      const at = arena.room(capacity);
      this.#call(name, ...args, at, capacity, size);
      return arena.bytes(at, capacity - ending);
    });
  }
  #text(name, ...args) {
    return new TextDecoder().decode(this.#sized(name, 1, ...args));
  }
  #textOf(kind, index = 0) {
    return this.#text('ppgnn_text', kind, index);
  }

  get plan() {
    return within(this.#module, (arena) => {
      const at = arena.room(40);
      this.#call('ppgnn_plan', at);
      const view = arena.view(at, 40);
      const [levels, columns, isPublic, asks, needsPerson, notes] = [0, 4, 8, 12, 16, 20].map((i) => view.getUint32(i, true));
      const [largestSpend, levelLoss] = [view.getFloat64(24, true), view.getFloat64(32, true)];
      return {
        kind: this.#textOf(0), title: this.#textOf(1), introduction: this.#textOf(2), campaign: this.#textOf(4),
        rule: this.#textOf(5), hash: this.#textOf(6),
        notes: Array.from({ length: notes }, (_, i) => this.#textOf(3, i)),
        levels, columns, levelIsPublic: isPublic === 1, asks: asks === 1, needsPerson: needsPerson === 1, largestSpend, levelLoss,
      };
    });
  }
  level(level) {
    return within(this.#module, (arena) => {
      const at = arena.room(48);
      this.#call('ppgnn_level', level, at);
      const view = arena.view(at, 48);
      const [budget, spend, odds, percent, levelPercent] = [0, 8, 16, 24, 32].map((i) => view.getFloat64(i, true));
      return { budget, spend, odds, percent, levelPercent, bytes: view.getUint32(40, true) };
    });
  }
  column(index) {
    return this.#textOf(7, index);
  }
  preview(level) {
    return this.#text('ppgnn_preview', level);
  }
  question(level) {
    return this.#textOf(8, level);
  }
  example(level, round = 0n) {
    return this.#sized('ppgnn_example', 0, level, BigInt(round));
  }

  setPerson(name) {
    within(this.#module, (arena) => {
      const bytes = new TextEncoder().encode(name);
      this.#call('ppgnn_set_person', arena.put(bytes), bytes.length);
    });
  }
  setQuestion(bytes) {
    within(this.#module, (arena) => this.#call('ppgnn_set_question', arena.put(bytes), bytes.length));
  }
  setRecipient(name) {
    within(this.#module, (arena) => {
      const bytes = new TextEncoder().encode(name);
      this.#call('ppgnn_set_recipient', arena.put(bytes), bytes.length);
    });
  }
  permit({ otherRecipient = false, unnamedAgain = false } = {}) {
    this.#call('ppgnn_permit', (otherRecipient === true ? 1 : 0) + (unnamedAgain === true ? 2 : 0));
  }
  agree(limits = {}) {
    const { report, lifetime, reports, levelDisclosed } = { ...defaultLimits(this.#module), ...limits };
    const count = reports === Infinity ? 2n ** 64n - 1n : BigInt(reports);
    if (count < 0n || count >= 2n ** 64n) throw new PpgnnError('invalid-argument', 'limits: reports must be a number from 0');
    within(this.#module, (arena) => {
      const at = arena.room(32);
      const view = arena.view(at, 32);
      view.setFloat64(0, report, true);
      view.setFloat64(8, lifetime, true);
      view.setBigUint64(16, count, true);
      view.setInt32(24, levelDisclosed === true ? 1 : 0, true);
      view.setInt32(28, 0, true);
      this.#call('ppgnn_agree', at);
    });
  }

  readFeatures(bytes) {
    return within(this.#module, (arena) => {
      const most = Math.ceil(bytes.length / 2); // a value has a sign, and another before the next
      const [file, columns, values, count] = [arena.put(bytes), arena.room(4 * most), arena.room(4 * most), arena.room(4)];
      this.#call('ppgnn_read_features', file, bytes.length, columns, values, most, count);
      const size = 4 * arena.view(count, 4).getUint32(0, true);
      return { columns: new Uint32Array(arena.bytes(columns, size).buffer), values: new Float32Array(arena.bytes(values, size).buffer) };
    });
  }

  useLedger(storage) {
    if (!storage.counter !== !storage.raise) throw new PpgnnError('invalid-argument', 'ledger: counter and raise belong together');
    this.#storage = storage;
  }

  // Puts the ledger into the module, acts, and makes durable what the action stored, before anything of it is handed out.
  #withLedger(action) {
    const storage = this.#storage;
    if (!storage) return Promise.reject(new PpgnnError('no-ledger', 'ledger: there is none; useLedger first'));
    return inTurn(storage, async () => {
      let kept, counter;
      try {
        kept = await storage.load();
        counter = storage.counter ? BigInt(await storage.counter()) : 0n;
      } catch {
        throw new PpgnnError('storage', 'ledger: cannot be read; no report leaves without it');
      }
      // Only null says that there never was one: anything else that is not bytes would be taken for that.
      if (kept !== null && !(ArrayBuffer.isView(kept) && kept.BYTES_PER_ELEMENT === 1 && kept.length > 0)) {
        throw new PpgnnError('damaged', 'ledger: load gave neither bytes nor null; nobody knows what was reported, and nothing is');
      }
      const [result, stored, now] = within(this.#module, (arena) => {
        try {
          const bytes = kept ?? new Uint8Array(0);
          this.#call('ppgnn_web_use_ledger', arena.put(bytes), bytes.length, counter, storage.counter ? 1 : 0);
          const made = action(arena);
          const out = arena.room(24);
          const at = this.#module.ppgnn_web_ledger(out, out + 8, out + 16);
          const view = arena.view(out, 24);
          return [made, view.getInt32(16, true) > 0 && arena.bytes(at, view.getUint32(0, true)), view.getBigUint64(8, true)];
        } finally {
          this.#module.ppgnn_web_ledger(0, 0, 0); // forgets it
        }
      });
      try {
        if (stored) await storage.store(stored);
        // Also where nothing was stored now: who was interrupted between store and raise is one ahead.
        if (storage.raise && now !== counter) await storage.raise(now);
      } catch {
        throw new PpgnnError('storage', 'ledger: cannot be stored; no report leaves without it');
      }
      return result;
    });
  }

  report({ level, features, round = 0n }) {
    return this.#withLedger((arena) => {
      const out = arena.room(8);
      this.#call('ppgnn_report_size', out);
      const capacity = arena.view(out, 8).getUint32(0, true);
      const at = arena.room(capacity);
      this.#call('ppgnn_report', level, putFeatures(arena, features), BigInt(round), at, capacity, out, out + 4);
      const view = arena.view(out, 8);
      return { bytes: arena.bytes(at, view.getUint32(0, true)), fresh: view.getInt32(4, true) === 1 };
    });
  }
  setModel(text, hint) {
    within(this.#module, (arena) => {
      const bytes = new TextEncoder().encode(text);
      this.#call('ppgnn_set_model', arena.put(bytes), bytes.length, arena.put(hint), hint.length);
    });
  }
  decide(features) {
    return this.#withLedger((arena) => {
      const out = arena.room(24);
      const where = putFeatures(arena, features);
      try {
        this.#call('ppgnn_decide', where, out, 0, 0, 0);
      } catch (error) {
        if (error.code !== CODES[TOO_SMALL]) throw error;
      }
      const [classes, groups] = [0, 4].map((i) => arena.view(out, 8).getUint32(i, true));
      const capacity = Math.max(classes, groups);
      const [probabilities, reasons] = [arena.room(4 * capacity), arena.room(4 * capacity)];
      this.#call('ppgnn_decide', where, out, probabilities, reasons, capacity);
      const view = arena.view(out, 24);
      const [first, second, graph, told] = [8, 12, 16, 20].map((i) => view.getInt32(i, true));
      const numbers = (Type, at, count) => [...new Type(arena.bytes(at, 4 * count).buffer)];
      return {
        first, second, graph: graph / 256, features: told / 256,
        classes: numbers(Uint32Array, probabilities, classes).map((one, i) => ({ name: this.#textOf(11, i), probability: one / 65536 })),
        groups: numbers(Int32Array, reasons, groups).map((one, i) => ({ name: this.#textOf(12, i), nats: one / 256 })),
      };
    });
  }
  resend() {
    return this.#withLedger(() => this.#sized('ppgnn_resend', 0));
  }
  notAsked() {
    return this.#withLedger(() => this.#call('ppgnn_not_asked'));
  }
  ledgerWords(level) {
    return this.#withLedger(() => this.#textOf(9, level));
  }
  ledger() {
    return this.#withLedger((arena) => {
      const at = arena.room(136);
      this.#call('ppgnn_ledger_sums', at);
      const sums = arena.view(at, 40);
      const [counted, features, level] = [16, 24, 32].map((i) => sums.getFloat64(i, true));
      const [count, state, reports] = [sums.getUint32(0, true), sums.getUint32(4, true), sums.getBigUint64(8, true)];
      const entries = Array.from({ length: count }, (_, i) => {
        this.#call('ppgnn_ledger_entry', i, at);
        const entry = arena.view(at, 136);
        const campaign = arena.text(at + 64, 72);
        return {
          state: STATES[entry.getUint32(0, true)], bytes: entry.getUint32(4, true), counted: entry.getFloat64(8, true),
          features: entry.getFloat64(16, true), level: entry.getFloat64(24, true), plan: toHex(arena.bytes(at + 32, 32)),
          campaign: campaign.slice(0, campaign.indexOf('\0')), recipient: this.#textOf(10, i),
        };
      });
      return { state: STATES[state], reports, counted, features, level, entries };
    });
  }
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
export function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new PpgnnError('malformed', 'not hexadecimal');
  return Uint8Array.from(text.match(/../g) ?? [], (two) => parseInt(two, 16));
}

// Tabs of one origin exclude each other where the browser has locks; node and one-tab hosts need none.
function exclusive(name) {
  const locks = globalThis.navigator?.locks;
  return locks ? (action) => locks.request(name, action) : undefined;
}

/** A ledger in IndexedDB, flushed to disk before a report leaves where the browser can do that. What another tab stored since
 * load is not replaced, locks or not. */
export function indexedDbLedger(name = 'ppgnn-ledger') {
  const request = (asked) => new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  const opened = () => {
    const asked = indexedDB.open(name, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore('ledger');
    return request(asked);
  };
  const during = async (mode, action) => {
    const database = await opened();
    try {
      const transaction = database.transaction('ledger', mode, { durability: 'strict' });
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error('aborted'));
      });
      done.catch(() => {});
      const result = await action(transaction.objectStore('ledger'), transaction);
      await done;
      return result;
    } finally {
      database.close();
    }
  };
  let seen = null; // what load gave
  const same = (a, b) => (a === null || b === null ? a === b : a.length === b.length && a.every((byte, i) => byte === b[i]));
  const get = async (store) => (await request(store.get('bytes'))) ?? null;
  return {
    load: async () => (seen = await during('readonly', get)),
    store: (bytes) => during('readwrite', async (store, transaction) => {
      globalThis.navigator?.storage?.persist?.().catch(() => {}); // the browser may still say no
      if (!same(await get(store), seen)) {
        transaction.abort();
        throw new Error('somebody else stored in the meantime');
      }
      await request(store.put(bytes, 'bytes'));
      seen = bytes;
    }),
    exclusive: exclusive(name),
  };
}
