// Plans that native client and module must judge alike: accepted, or refused for the same reason. A loss in a sentence may differ in
// its last digits, as logarithms do. Argument: the plans that make_web_vectors wrote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { load } from '../../web/ppgnn.js';

const CODES = { 1: 'invalid-argument', 2: 'malformed', 3: 'mismatch', 4: 'certificate' };
const plans = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ppgnn = await load(readFileSync(join(process.env.PPGNN_WEB, 'ppgnn.wasm')));
const withoutNumbers = (words) => words.replace(/\d+(\.\d+)?(e[-+]\d+)?/g, '#');
const seen = {};
for (const { plan, code, error } of plans) {
  let said = [undefined, ''];
  try {
    ppgnn.open(plan).close();
  } catch (refusal) {
    said = [refusal.code, refusal.message];
  }
  assert.equal(said[0], CODES[code], `${error} | ${said[1]}`);
  assert.equal(withoutNumbers(said[1]), withoutNumbers(error));
  seen[code] = (seen[code] ?? 0) + 1;
}
for (const code of [0, 1, 2, 4]) assert.ok(seen[code] > 50, `code ${code}: ${seen[code]} plans`);
console.log(JSON.stringify(seen));
