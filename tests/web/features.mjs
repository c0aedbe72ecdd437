// The cases of tests/client/feature_cases.json in the module: what the native client reads, and its sentences. Argument: the cases
// with a plan of each schema, which make_web_vectors wrote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PpgnnError, fromHex, load } from '../../web/ppgnn.js';

const { plans, cases } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ppgnn = await load(readFileSync(join(process.env.PPGNN_WEB, 'ppgnn.wasm')));
const devices = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, ppgnn.open(plan)]));
const seen = { read: 0, refused: 0 };
for (const { plan, about, text, times = 1, hex, columns, values, error } of cases) {
  const bytes = hex ? fromHex(hex) : new TextEncoder().encode(text.repeat(times));
  if (error) {
    assert.throws(() => devices[plan].readFeatures(bytes),
      (thrown) => thrown instanceof PpgnnError && thrown.code === 'malformed' && (assert.equal(thrown.message, error), true), about);
    seen.refused++;
  } else {
    const read = devices[plan].readFeatures(bytes);
    assert.deepEqual([...read.columns], columns, about);
    assert.deepEqual([...read.values], [...Float32Array.from(values)], about);
    seen.read++;
  }
}
assert.ok(seen.read > 40 && seen.refused > 80);
console.log(JSON.stringify(seen));
