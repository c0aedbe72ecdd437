// The module decides as the native client does, to the bit, and writes the same ledger, whatever the features are; it asks for nothing
// and sends nothing; a second model or hint is refused. A decision over 15,000 columns takes less than a millisecond on an idle machine. Argument: decisions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fromHex, load, toHex } from '../../web/ppgnn.js';

const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ppgnn = await load(readFileSync(join(process.env.PPGNN_WEB, 'ppgnn.wasm')));
const floats = (hex) => new Float32Array(fromHex(hex).buffer);
const memory = () => ({ bytes: null, stores: 0, async load() { return this.bytes; }, async store(bytes) { this.bytes = bytes; this.stores++; } });
globalThis.fetch = () => assert.fail('nothing is asked for');

function featuresOf({ form, columns, values }) {
  if (form === 2) return { ones: columns };
  return form === 1 ? { columns, values: floats(values) } : { dense: floats(values) };
}

let decided = 0;
for (const { plan, model, hint, rows, ledger } of cases) {
  const storage = memory();
  const device = ppgnn.open(plan);
  device.useLedger(storage);
  await assert.rejects(device.decide({ ones: [] }), { code: 'invalid-argument' }, 'no model');
  device.setModel(model, fromHex(hint));
  for (const row of rows) {
    const found = await device.decide(featuresOf(row));
    assert.deepEqual(found.classes.map(({ probability }) => probability * 65536), row.probabilities);
    assert.deepEqual(found.groups.map(({ nats }) => nats * 256), row.groups);
    assert.deepEqual([found.first, found.second, found.graph * 256, found.features * 256], row.lead);
    assert.deepEqual(found.classes.map(({ name }) => name), ['cat', 'dog', 'owl']);
    assert.deepEqual(found.groups.map(({ name }) => name), ['word', 'age']);
    assert.equal(toHex(storage.bytes), ledger, 'the ledger holds nothing of the features');
    decided++;
  }
  assert.equal(storage.stores, 1, 'noted once');
  device.close();
}

// After a restart, with what the host kept; and not by another model or hint.
const { plan, model, hint } = cases[0];
const storage = memory();
for (let restart = 0; restart < 2; restart++) {
  const device = ppgnn.open(plan);
  device.useLedger(storage);
  device.setModel(model, fromHex(hint));
  await device.decide({ ones: [1] });
  const { state, entries } = await device.ledger();
  assert.equal(state, 'none');
  assert.deepEqual([entries[0].state, entries[0].campaign, entries[0].features], ['decides', 'spring', 0]);
  const other = cases.find((one) => one.model !== model && one.plan === plan);
  if (other) {
    device.setModel(other.model, fromHex(other.hint));
    await assert.rejects(device.decide({ ones: [1] }), { code: 'reported' });
  }
  device.setModel(model, fromHex('0100'));
  await assert.rejects(device.decide({ ones: [1] }), { code: 'reported' });
  assert.throws(() => device.setModel(model.replace('evidence 6', 'evidence 5'), fromHex(hint)), { code: 'malformed' });
  assert.throws(() => device.setModel(cases.at(-1).model, fromHex('0100')), { code: 'mismatch' });
  device.close();
}

// 45,000 weights, all columns listed: the best of some, and five times the time, as the machine has others to serve.
const large = cases.at(-1);
const device = ppgnn.open(large.plan);
device.useLedger(memory());
device.setModel(large.model, fromHex(large.hint));
let best = Infinity;
const listed = featuresOf(large.rows[0]);
for (let i = 0; i < 200; i++) {
  const start = performance.now();
  await device.decide(listed);
  best = Math.min(best, performance.now() - start);
}
console.log(`${decided} decisions; ${best.toFixed(2)} ms over 15,000 columns, all listed, with the ledger`);
assert.ok(best < 5, `a decision takes ${best} ms`);
