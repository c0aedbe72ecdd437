// What the wrapper tells the module, call by call, and that whatever it lent is given back. Argument: vectors.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { load } from '../../web/ppgnn.js';

const vectors = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const plan = vectors.find((one) => one.kind === 'signs' && one.secrecy === 'protected').plan;

// The module with a witness before each function.
const calls = [];
const lent = new Set();
let seen = () => {};
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...all) => {
  const { exports: own } = await instantiate(...all);
  const witnessed = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, typeof value !== 'function' ? value : (...args) => {
    calls.push([name, ...args]);
    seen(name, args, own.memory);
    if (name === 'ppgnn_web_free') assert.ok(lent.delete(args[0]), 'given back once');
    const result = value(...args);
    if (name === 'ppgnn_web_allocate') lent.add(result);
    return result;
  }]));
  return { exports: witnessed };
};
const ppgnn = await load(readFileSync(join(process.env.PPGNN_WEB, 'ppgnn.wasm')));
WebAssembly.instantiate = instantiate;
const allGivenBack = () => assert.equal(lent.size, 0, 'memory was not given back');

// Limits arrive as they were said, each in its place.
const usual = ppgnn.defaultLimits();
let told;
seen = (name, args, memory) => {
  if (name !== 'ppgnn_agree') return;
  const view = new DataView(memory.buffer, args[1], 32);
  told = [view.getFloat64(0, true), view.getFloat64(8, true), view.getBigUint64(16, true), view.getInt32(24, true), view.getInt32(28, true)];
};
const device = ppgnn.open(plan);
for (const [limits, expected] of [
  [{}, [usual.report, usual.lifetime, usual.reports, 0, 0]],
  [{ report: 2.5 }, [2.5, usual.lifetime, usual.reports, 0, 0]],
  [{ lifetime: 7.25 }, [usual.report, 7.25, usual.reports, 0, 0]],
  [{ reports: 3 }, [usual.report, usual.lifetime, 3n, 0, 0]],
  [{ reports: 4n, levelDisclosed: true }, [usual.report, usual.lifetime, 4n, 1, 0]],
  [{ report: 9, lifetime: Infinity, reports: Infinity, levelDisclosed: 'yes' }, [9, Infinity, 2n ** 64n - 1n, 0, 0]],
]) {
  device.agree(limits);
  assert.deepEqual(told, expected);
  allGivenBack();
}

// Levels by their number.
for (let level = 1; level <= device.plan.levels; level++) {
  calls.length = 0;
  device.level(level);
  assert.equal(calls.find(([name]) => name === 'ppgnn_level')[2], level);
  allGivenBack();
}

// A report: what was private is in the module while it is made; the copies and the ledger there are gone when it is handed out.
const copies = [];
for (const Type of [Uint32Array, Float32Array]) {
  const { from } = Type;
  Type.from = (...all) => {
    copies.push(from.apply(Type, all));
    return copies.at(-1);
  };
}
device.agree({ report: 1e3, lifetime: Infinity });
const storage = { bytes: null, load: async () => storage.bytes, store: async (bytes) => { storage.bytes = bytes; } };
device.useLedger(storage);
calls.length = 0;
let asked = false;
seen = (name, args, memory) => {
  if (name !== 'ppgnn_report') return;
  asked = true;
  const [form, , columns, values, count] = new Uint32Array(memory.buffer.slice(args[2], args[2] + 20));
  assert.deepEqual([form, count], [1, 2]);
  assert.deepEqual([...new Uint32Array(memory.buffer.slice(columns, columns + 8))], [0, 2]);
  assert.deepEqual([...new Float32Array(memory.buffer.slice(values, values + 8))], [0.5, 0.25]);
};
await device.report({ level: 2, features: { columns: [0, 2], values: [0.5, 0.25] } });
assert.ok(asked);
for (const Type of [Uint32Array, Float32Array]) delete Type.from;
assert.equal(copies.length, 2);
for (const copy of copies) assert.ok(copy.every((one) => one === 0), 'a copy stayed');
allGivenBack();
assert.deepEqual(calls.filter(([name]) => name === 'ppgnn_web_ledger').at(-1), ['ppgnn_web_ledger', 0, 0, 0], 'the ledger stayed in the module');
assert.ok(calls.findIndex(([name]) => name === 'ppgnn_web_use_ledger') < calls.findLastIndex(([name]) => name === 'ppgnn_web_ledger'));
device.close();
