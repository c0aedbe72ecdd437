// ppgnn.d.ts through the TypeScript compiler, with a program that uses every name in it. Argument: a folder for the compiler, which
// comes from npm once; where it cannot be had the test is skipped and says so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SKIPPED = 77;
const COMPILER = 'typescript@5.4.5';
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = process.argv[2];
const compiler = join(folder, 'node_modules/typescript/bin/tsc');

if (!existsSync(compiler)) {
  mkdirSync(folder, { recursive: true });
  const got = spawnSync('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts',
    '--fetch-retries=1', '--fetch-timeout=30000', '--loglevel=error', COMPILER], { encoding: 'utf8', timeout: 90000 });
  if (got.status !== 0 || !existsSync(compiler)) {
    console.log(`skipped: npm did not give ${COMPILER}: ${(got.stderr ?? '').trim().split('\n')[0] || got.error?.message || 'no reason given'}`);
    process.exit(SKIPPED);
  }
}

const compile = (file) => spawnSync(process.execPath, [compiler, '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess',
  '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', here(file)], { encoding: 'utf8' });

const user = readFileSync(here('types.ts'), 'utf8');
const names = [...readFileSync(here('../../web/ppgnn.d.ts'), 'utf8').matchAll(/^export (?:declare )?(?:type|interface|class|function) (\w+)/gm)].map(([, one]) => one);
assert.ok(names.length > 12);
for (const name of names) assert.ok(user.match(new RegExp(`\\b${name}\\b`, 'g'))?.length >= 2, `types.ts does not use ${name}`);

const { stdout, status } = compile('types.ts');
assert.equal(status, 0, stdout);
console.log(`${names.length} names compiled`);
