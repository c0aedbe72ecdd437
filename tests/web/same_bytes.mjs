// From the same stream of words, the test module makes the native client's bytes; from the same entropy, the module that ships
// makes its report and ledger. Arguments: the file that make_web_vectors wrote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fromHex, load, toHex } from '../../web/ppgnn.js';

const web = process.env.PPGNN_WEB;
const plans = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// The test module, spoken to directly: what a test needs of C.
const { exports: c } = await WebAssembly.instantiate(await WebAssembly.compile(readFileSync(join(web, 'ppgnn_test.wasm'))),
  { wasi_snapshot_preview1: { random_get: () => assert.fail('the stream is given') } });
c._initialize();
const scratch = c.ppgnn_web_allocate(1 << 20);
let used = 0;
const put = (bytes) => {
  used = (used + 7) & ~7;
  new Uint8Array(c.memory.buffer, scratch + used, bytes.byteLength).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  used += bytes.byteLength;
  return scratch + used - bytes.byteLength;
};
const word = (at) => new DataView(c.memory.buffer).getUint32(at, true);
const floats = (hex) => new Float32Array(fromHex(hex).buffer);

function openRaw(vector) {
  used = 0;
  const text = new TextEncoder().encode(vector.plan);
  const slot = put(new Uint32Array(1));
  assert.equal(c.ppgnn_open(put(text), text.length, slot, 0, 0), 0);
  const client = word(slot);
  assert.equal(c.ppgnn_set_person(client, put(new TextEncoder().encode('ana')), 3), 0);
  if (vector.question) {
    const bytes = fromHex(vector.question);
    assert.equal(c.ppgnn_set_question(client, put(bytes), bytes.length), 0);
  }
  return client;
}

let reports = 0;
const seen = new Set();
for (const vector of plans) {
  const client = openRaw(vector);
  const rows = vector.rows.map(({ form, columns, values }) => {
    const list = floats(values);
    return put(Uint32Array.of(form, 0, put(Uint32Array.from(columns)), put(list), form === 0 ? list.length : columns.length));
  });
  const start = used;
  for (const { row, level, round, words, report } of vector.reports) {
    used = start;
    const stream = fromHex(words);
    const out = put(new Uint32Array(2));
    const room = put(new Uint8Array(4096));
    const code = c.ppgnn_test_report(client, level, rows[row], BigInt(round), put(stream), stream.length / 8, out, room, 4096, out + 4);
    assert.equal(code, 0);
    assert.equal(word(out), stream.length / 8, 'as many words are drawn');
    assert.equal(toHex(new Uint8Array(c.memory.buffer, room, word(out + 4))), report);
    seen.add(`${vector.kind} ${vector.secrecy} ${['dense', 'sparse', 'ones'][vector.rows[row].form]}`);
    reports++;
  }
  c.ppgnn_close(client);
}
assert.equal(plans.length, 50);
assert.equal(reports, 10000);
assert.equal(seen.size, 5 * 2 * 3, 'every kind, protected and public, dense, sparse and ones');

// The module that ships, with the entropy that make_web_vectors played.
let entropy = 0;
Object.defineProperty(globalThis, 'crypto', {
  value: { getRandomValues: (bytes) => bytes.forEach((_, i) => { bytes[i] = entropy++; }) },
});
// Copies of features that the wrapper makes, and the module's memory: both are looked at for what stayed behind.
const copies = [];
const { from } = Float32Array;
Float32Array.from = (...all) => {
  copies.push(from.apply(Float32Array, all));
  return copies.at(-1);
};
const { instantiate } = WebAssembly;
let memory;
WebAssembly.instantiate = async (...all) => {
  const instance = await instantiate(...all);
  ({ memory } = instance.exports);
  return instance;
};
const ledgers = () => Buffer.from(memory.buffer).toString('latin1').split('ppgnn-ledger 2\n').length;
const ppgnn = await load(WebAssembly.compile(readFileSync(join(web, 'ppgnn.wasm'))));
const none = ledgers();
for (const vector of plans) {
  entropy = vector.entropy;
  const device = ppgnn.open(vector.plan);
  device.setPerson('ana');
  if (vector.question) device.setQuestion(fromHex(vector.question));
  vector.previews.forEach((words, i) => assert.equal(device.preview(i + 1), words));
  assert.equal(device.plan.notes[0], vector.note);
  device.agree({ report: 1e3, lifetime: Infinity, reports: Infinity, levelDisclosed: true });
  let kept = null;
  device.useLedger({ load: async () => kept, store: async (bytes) => { kept = bytes; } });
  const dense = Array.from(floats(vector.rows[0].values));
  const sent = await device.report({ level: device.plan.levels, features: { dense }, round: 5 });
  assert.equal(toHex(sent.bytes), vector.shipped);
  assert.equal(toHex(kept), vector.ledger);
  device.close();
  assert.equal(ledgers(), none, 'a ledger stayed in memory');
}
assert.ok(copies.length >= plans.length && copies.every((copy) => copy.every((value) => value === 0)), 'features stayed in memory');
console.log(`${plans.length} plans, ${reports} reports: the same bytes`);
