// The wrapper's own part: nothing is handed out before it is stored, devices that share a ledger take turns, and what is refused is
// refused with a sentence that holds no value. Argument: vectors.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PpgnnError, indexedDbLedger, load, toHex } from '../../web/ppgnn.js';

const vectors = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ppgnn = await load(readFileSync(join(process.env.PPGNN_WEB, 'ppgnn.wasm')));
const find = (kind, secrecy) => vectors.find((one) => one.kind === kind && one.secrecy === secrecy).plan;
const plan = find('signs', 'protected');
const refused = (code) => (error) => error instanceof PpgnnError && error.code === code;
const pause = () => new Promise((done) => { setTimeout(done, 5); });

const inMemory = () => ({
  bytes: null, stores: 0, failing: false,
  async load() { await pause(); return this.bytes; },
  async store(bytes) {
    await pause();
    if (this.failing) throw new Error('the disk is full');
    this.bytes = bytes;
    this.stores++;
  },
});
function opened(text, storage, limits = {}) {
  const device = ppgnn.open(text);
  device.setPerson('ana');
  device.agree({ report: 1e3, levelDisclosed: true, ...limits });
  if (storage) device.useLedger(storage);
  return device;
}
const asked = { level: 1, features: { ones: [0, 2] } };

// What the ledger uses of IndexedDB: requests answer later, a transaction is complete once none is left, or aborted.
function playedDatabases() {
  const all = new Map();
  const later = (run) => setTimeout(run, 1);
  const databaseOf = (kept) => ({
    createObjectStore() {},
    close() {},
    transaction() {
      const writes = [];
      let [pending, ended] = [0, false];
      const end = (handler) => { if (!ended) { ended = true; handler(); } };
      const request = (read, write) => {
        const made = {};
        pending += 1;
        later(() => {
          made.result = read();
          if (write) writes.push(write);
          made.onsuccess();
          pending -= 1;
          later(() => { if (pending === 0) end(() => { writes.forEach((one) => one()); transaction.oncomplete(); }); });
        });
        return made;
      };
      const transaction = {
        abort: () => end(() => later(transaction.onabort)),
        objectStore: () => ({
          get: (key) => request(() => kept.get(key)),
          put: (value, key) => request(() => key, () => kept.set(key, value)),
        }),
      };
      return transaction;
    },
  });
  return { open(name) {
    const made = {};
    later(() => {
      const isNew = !all.has(name);
      if (isNew) all.set(name, new Map());
      made.result = databaseOf(all.get(name));
      if (isNew) made.onupgradeneeded();
      made.onsuccess();
    });
    return made;
  } };
}

// Stored before it leaves; the same afterwards, whatever is asked.
const storage = inMemory();
const device = opened(plan, storage);
storage.failing = true;
await assert.rejects(device.report(asked), refused('storage'));
await assert.rejects(device.resend(), refused('not-there'), 'the report that was not stored is gone');
storage.failing = false;
const first = await device.report(asked);
assert.equal(first.fresh, true);
assert.equal(storage.stores, 1);
const second = await device.report({ level: 2, features: { dense: [1] }, round: 9 });
assert.deepEqual([second.fresh, toHex(second.bytes)], [false, toHex(first.bytes)]);
assert.equal(storage.stores, 1);
assert.deepEqual(await device.resend(), first.bytes);
const sums = await device.ledger();
assert.deepEqual([sums.state, sums.reports, sums.entries.length, sums.entries[0].plan], ['reported', 1n, 1, device.plan.hash]);
assert.match(await device.ledgerWords(1), /^Reports so far: 1,/);

// Two devices of one ledger at the same time: one report.
const shared = inMemory();
const both = await Promise.all([opened(plan, shared).report(asked), opened(plan, shared).report(asked)]);
assert.equal(toHex(both[0].bytes), toHex(both[1].bytes));
assert.deepEqual(both.map((one) => one.fresh).sort(), [false, true]);

// A ledger that is damaged, or older than the counter, or that cannot be read.
const damaged = { ...inMemory(), bytes: Uint8Array.from(storage.bytes, (byte, i) => byte ^ Number(i === 20)) };
await assert.rejects(opened(plan, damaged).report(asked), refused('damaged'));
const counted = { ...inMemory(), value: 0n, async counter() { return this.value; }, async raise(value) { this.value = value; } };
await opened(plan, counted).report(asked);
assert.ok(counted.value > 0n);
counted.bytes = null;
await assert.rejects(opened(plan, counted).report(asked), refused('rolled-back'));
await assert.rejects(opened(plan, { ...inMemory(), load: () => Promise.reject(new Error('no')) }).report(asked), refused('storage'));
await assert.rejects(opened(plan).report(asked), refused('no-ledger'));

// Interrupted between store and raise: the next call catches up, keeps the report there is, and goes on afterwards.
let online = false;
const late = { ...inMemory(), value: 0n, async counter() { return this.value; }, async raise(value) { if (!online) throw new Error('offline'); this.value = value; } };
await assert.rejects(opened(plan, late).report(asked), refused('storage'));
await assert.rejects(opened(plan, late).report(asked), refused('storage'), 'nothing leaves while the counter is behind');
online = true;
const caught = await opened(plan, late).report(asked);
assert.equal(caught.fresh, false);
assert.equal(late.value, 1n, 'the counter has caught up');
assert.throws(() => opened(plan, { ...inMemory(), counter: async () => 0n }), refused('invalid-argument'));

// Only null means that there never was a ledger.
for (const wrong of [undefined, new ArrayBuffer(4), new Uint8Array(0), '', new Uint16Array(4)]) {
  await assert.rejects(opened(plan, { ...inMemory(), load: async () => wrong }).report(asked), refused('damaged'));
}

// IndexedDB, played as far as the ledger uses it: two tabs without locks, of which one was overtaken, store once.
globalThis.indexedDB = playedDatabases();
const [tab, other] = [indexedDbLedger('tabs'), indexedDbLedger('tabs')].map((ledger) => ({ ...ledger, exclusive: undefined }));
let overtaken = 0;
const slow = { ...other, store: async (bytes) => {
  overtaken += 1;
  await opened(plan, tab).report(asked);
  return other.store(bytes);
} };
await assert.rejects(opened(plan, slow).report(asked), refused('storage'), 'what another tab stored is not replaced');
assert.equal(overtaken, 1);
assert.equal((await opened(plan, other).report(asked)).fresh, false);
await opened(plan, indexedDbLedger('other')).notAsked();
assert.equal((await opened(plan, indexedDbLedger('other')).ledger()).state, 'not-asked');

// Refusals.
assert.throws(() => ppgnn.open(plan.replace('prior', 'Prior')), refused('malformed'));
assert.throws(() => opened(plan, storage, { report: 1e-3 }), refused('over-limit'));
assert.throws(() => opened(plan, storage, { reports: -1 }), refused('invalid-argument'));
assert.throws(() => opened(find('buckets', 'public'), storage, { levelDisclosed: 'false' }), refused('over-limit'));
assert.throws(() => opened(find('buckets', 'public'), storage, { levelDisclosed: false }), refused('over-limit'));
const unsent = ppgnn.open(plan);
unsent.useLedger(inMemory());
await assert.rejects(unsent.report(asked), refused('not-agreed'));
for (const features of [{ ones: [2, 0] }, { ones: [7654321] }, { ones: [0.5] }, { columns: [1], values: [] }, { dense: ['7654321'] }, {}, undefined]) {
  await assert.rejects(opened(plan, inMemory()).report({ level: 1, features }),
    (error) => refused('invalid-argument')(error) && !/7654321|0\.5/.test(error.message));
}
await assert.rejects(opened(plan, inMemory()).report({ ...asked, level: 77 }), (error) => refused('invalid-argument')(error) && !/77/.test(error.message));
unsent.close();
assert.throws(() => unsent.preview(1), refused('invalid-argument'));
