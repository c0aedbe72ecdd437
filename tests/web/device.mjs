// The wrapper's own part: nothing is handed out before it is stored, devices that share a ledger take turns, and what is refused is
// refused with a sentence that holds no value. Argument: vectors.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PpgnnError, fromHex, indexedDbLedger, load, toHex } from '../../web/ppgnn.js';

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

// A question whose classes differ in their biases is one that every column weighs in.
const answers = vectors.find((one) => one.kind === 'answer');
const answering = ppgnn.open(answers.plan);
answering.setPerson('ana');
answering.setQuestion(fromHex(answers.question));
assert.match(answering.question(1), new RegExp(` ${answering.plan.columns} columns weigh in it`));

// Limits: as they are by themselves, and each at its edge.
const usual = ppgnn.defaultLimits();
assert.deepEqual(usual, { report: 3, lifetime: 10, reports: 10n, levelDisclosed: false });
const spend = device.plan.largestSpend;
const named = [...new Set(vectors.map((one) => one.plan))].filter((text) => !/^campaign /m.test(text));
const unnamed = named.filter((text) => ppgnn.open(text).plan.columns >= 3);
assert.ok(unnamed.length >= 3 && unnamed.includes(plan));
async function reportsUntil(limits) {
  const own = inMemory();
  let made = 0;
  for (const text of unnamed) {
    const one = ppgnn.open(text);
    one.agree({ report: 1e9, levelDisclosed: true, ...limits });
    one.permit({ unnamedAgain: true });
    one.useLedger(own);
    try {
      await one.report(asked);
      made += 1;
    } catch (error) {
      assert.ok(refused('over-limit')(error), error.message);
      return made;
    }
  }
  return made;
}
assert.equal(await reportsUntil({ lifetime: Infinity, reports: 2 }), 2);
assert.equal(await reportsUntil({ lifetime: Infinity, reports: 0n }), 0);
assert.equal(await reportsUntil({ lifetime: Infinity, reports: Infinity }), unnamed.length);
const costs = unnamed.map((text) => ppgnn.open(text).plan.largestSpend);
let fitting = 0;
for (let sum = 0; sum + costs[fitting] <= usual.lifetime; fitting++) sum += costs[fitting];
assert.ok(fitting < Math.min(unnamed.length, 10));
assert.equal(await reportsUntil({}), fitting, 'the usual limits, where nobody says others');
assert.equal(await reportsUntil({ lifetime: costs[0] + costs[1], reports: 9 }), 2);
assert.equal(await reportsUntil({ lifetime: (costs[0] + costs[1]) * (1 - 1e-15), reports: 9 }), 1);
assert.throws(() => opened(plan, storage, { lifetime: 0 }), refused('invalid-argument'));
opened(plan, storage, { report: spend });
assert.throws(() => opened(plan, storage, { report: spend * (1 - 1e-15) }), refused('over-limit'));
const large = vectors.map((each) => each.plan).find((text) => ppgnn.open(text).plan.largestSpend > usual.report);
assert.throws(() => ppgnn.open(large).agree({ levelDisclosed: true }), (error) => refused('over-limit')(error) && /more than the 3 that/.test(error.message));
ppgnn.open(large).agree({ report: 1e3, levelDisclosed: true });

// A plan without campaign: a second report only with the person's word, each time.
const once = inMemory();
await opened(unnamed[0], once, { reports: 99, lifetime: 1e9 }).report(asked);
const again = opened(unnamed[1], once, { reports: 99, lifetime: 1e9 });
await assert.rejects(again.report(asked), refused('not-permitted'));
again.permit({ otherRecipient: true });
await assert.rejects(again.report(asked), refused('not-permitted'), 'that is another word');
again.permit({ unnamedAgain: 'true' });
await assert.rejects(again.report(asked), refused('not-permitted'), 'nor is this one');
again.permit({ unnamedAgain: true });
again.permit();
await assert.rejects(again.report(asked), refused('not-permitted'), 'it was taken back');
again.permit({ unnamedAgain: true });
assert.equal((await again.report(asked)).fresh, true);

// One recipient: nobody else gets the report, not by report, not by resend, without the person's word.
const forOne = inMemory();
const one = opened(plan, forOne);
one.setRecipient('https://a.example');
const made = await one.report(asked);
assert.equal((await one.ledger()).entries[0].recipient, 'https://a.example');
assert.deepEqual(await one.resend(), made.bytes);
for (const name of ['https://b.example', undefined]) {
  const elsewhere = opened(plan, forOne);
  if (name) elsewhere.setRecipient(name);
  await assert.rejects(elsewhere.report(asked), refused('not-permitted'));
  await assert.rejects(elsewhere.resend(), refused('not-permitted'));
  elsewhere.permit({ unnamedAgain: true });
  await assert.rejects(elsewhere.resend(), refused('not-permitted'));
  elsewhere.permit({ otherRecipient: true });
  assert.deepEqual(await elsewhere.resend(), made.bytes);
  assert.equal((await elsewhere.ledger()).entries[0].recipient, 'https://a.example', 'and it stays that one\'s');
}
for (const name of ['', 'a\nb', 'x'.repeat(256)]) assert.throws(() => one.setRecipient(name), refused('invalid-argument'));

// Another plan of the same campaign gets neither a report nor the one there is.
const [teach, otherTeach] = vectors.map((each) => each.plan).filter((text) => /^campaign /m.test(text) && !/^question /m.test(text));
assert.notEqual(teach, otherTeach);
const campaign = inMemory();
await opened(teach, campaign).report(asked);
const otherPlan = opened(otherTeach, campaign);
if (otherPlan.plan.campaign === opened(teach, campaign).plan.campaign) {
  assert.equal((await otherPlan.ledger()).state, 'other');
  for (const attempt of [() => otherPlan.resend(), () => otherPlan.report(asked)]) await assert.rejects(attempt(), refused('reported'));
}

// What a guess becomes: every level's number is the one of its words.
let compared = 0;
for (const { plan: text } of vectors) {
  const each = ppgnn.open(text);
  each.setPerson('ana');
  if (each.plan.asks) continue;
  for (let level = 1; level <= each.plan.levels; level++) {
    const { percent, odds } = each.level(level);
    assert.ok(Math.abs(percent - 100 * odds / (1 + odds)) < 1e-9 * percent);
    if (percent > 99.9) continue;
    const shown = Number(percent.toFixed(1)) < percent ? (Number(percent.toFixed(1)) + 0.1).toFixed(1) : percent.toFixed(1);
    assert.ok(each.preview(level).includes(`on the odds at most: from 50:50 to at most ${shown}:`), `level ${level}`);
    compared += level > 1 ? 1 : 0;
  }
}
assert.ok(compared > 3);

// What was private is gone from the module and from the copies that the wrapper made, once a report was handed out.
// The module's memory, which the wrapper shows to nobody.
let memory;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...all) => {
  const instance = await instantiate(...all);
  ({ memory } = instance.exports);
  return instance;
};
const alone = await load(readFileSync(join(process.env.PPGNN_WEB, 'ppgnn.wasm')));
WebAssembly.instantiate = instantiate;
const copies = [];
for (const Type of [Uint32Array, Float32Array]) {
  const { from } = Type;
  Type.from = (...all) => {
    const copy = from.apply(Type, all);
    copies.push(copy);
    return copy;
  };
}
const values = Array.from({ length: 3 }, (_, i) => 0.12345 + i / 7);
const wide = alone.open(plan);
wide.agree({ report: 1e3, levelDisclosed: true });
const apart = inMemory();
wide.useLedger(apart);
await wide.report({ level: 1, features: { columns: [0, 1, 2], values } });
delete Uint32Array.from;
delete Float32Array.from;
assert.equal(copies.length, 2);
for (const copy of copies) assert.ok(copy.every((each) => each === 0), 'a copy stayed');
const left = Buffer.from(memory.buffer);
for (const value of new Float32Array(values)) assert.equal(left.includes(Buffer.from(Float32Array.of(value).buffer)), false, 'a value stayed');
const spentThere = Buffer.from(apart.bytes.subarray(93, 117)); // what was spent, as only a ledger writes it
assert.equal(left.includes(spentThere), true, 'the ledger is the device\'s while it is open');
wide.close();
assert.equal(Buffer.from(memory.buffer).includes(spentThere), false, 'the ledger stayed');
