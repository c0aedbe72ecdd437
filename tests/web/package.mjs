// What would be published: the files, the module's size, what it imports and exports; and the example, run. Argument: read_report.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [vectorsFile, readReport] = process.argv.slice(2);
const folder = join(process.env.PPGNN_WEB, 'package');
const header = readFileSync(new URL('../../include/ppgnn/client/ppgnn_client.h', import.meta.url), 'utf8');

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--offline', '--no-update-notifier'],
  { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
assert.deepEqual(packed.files.map(({ path }) => path).sort(),
  ['LICENSE', 'README.md', 'example.mjs', 'package.json', 'participant.html', 'ppgnn.d.ts', 'ppgnn.js', 'ppgnn.wasm']);
const { version, name, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
assert.match(version, /^\d+\.\d+\.\d+$/);
assert.equal(`${packed.name} ${packed.version}`, `${name} ${version}`);
assert.equal(dependencies, undefined);

const bytes = readFileSync(join(folder, 'ppgnn.wasm'));
assert.ok(bytes.length < 90000, `the module has ${bytes.length} bytes`);
const module = await WebAssembly.compile(bytes);
assert.deepEqual(WebAssembly.Module.imports(module), [{ module: 'wasi_snapshot_preview1', name: 'random_get', kind: 'function' }],
  'entropy, and nothing else');
const exported = WebAssembly.Module.exports(module).map((one) => one.name).sort();
const declared = [...header.matchAll(/^[a-z].*?[ *](ppgnn_\w+)\(/gm)].map(([, one]) => one);
assert.ok(declared.length > 15);
assert.deepEqual(exported, [...declared.filter((one) => !one.startsWith('ppgnn_use_ledger')), 'memory', '_initialize',
  'ppgnn_web_allocate', 'ppgnn_web_free', 'ppgnn_web_ledger', 'ppgnn_web_use_ledger'].sort(), 'no way to put bits in');

// Types and code name the same things.
const { load, ...wrapper } = await import(join(folder, 'ppgnn.js'));
const types = readFileSync(join(folder, 'ppgnn.d.ts'), 'utf8');
assert.deepEqual(Object.keys({ load, ...wrapper }).sort(), [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, one]) => one).sort());
const plan = JSON.parse(readFileSync(vectorsFile, 'utf8')).find((one) => one.kind === 'signs' && one.secrecy === 'protected').plan;
const device = (await load()).open(plan);
const members = Object.getOwnPropertyNames(Object.getPrototypeOf(device)).filter((one) => one !== 'constructor');
const typed = types.slice(types.indexOf('export interface Device'));
assert.deepEqual(members.sort(), [...typed.slice(0, typed.indexOf('\n}')).matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, one]) => one).sort());
assert.deepEqual(Object.keys(device.plan).sort(),
  [...types.match(/interface PlanFacts \{(.*?)\n\}/s)[1].matchAll(/readonly (\w+)/g)].map(([, one]) => one).sort());

const work = mkdtempSync(join(tmpdir(), 'ppgnn-package-'));
try {
  const file = (one) => join(work, one);
  writeFileSync(file('plan.txt'), plan);
  const run = (report) => execFileSync(process.execPath, [join(folder, 'example.mjs'), file('plan.txt'), file('ledger'), file(report), '0', '2'],
    { encoding: 'utf8' });
  assert.match(run('one'), /Level 1\. Your device sends .*\nReports so far: 0.*\na report of \d+ bytes/s);
  assert.match(run('two'), /the report that was made before/);
  assert.deepEqual(readFileSync(file('one')), readFileSync(file('two')));
  assert.match(execFileSync(readReport, [file('plan.txt'), file('one')], { encoding: 'utf8' }), /^signs round 0/);
} finally {
  rmSync(work, { recursive: true });
}
console.log(`${bytes.length} bytes of module, ${packed.size} packed`);
