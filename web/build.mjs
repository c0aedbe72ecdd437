// Puts the page into one file that works from anywhere, also without a connection: node build.mjs MODULE.wasm VERSION OUT.html
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const [module, version, out] = process.argv.slice(2);
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// One script: imports of siblings go, and so do exports.
const script = ['ppgnn.js', 'collector.js', 'fields.js', 'page.js'].map(read).join('\n')
  .replace(/^import .*$/gm, '').replace(/^export /gm, '')
  .replace('@module@', readFileSync(module).toString('base64'));
const style = read('page.css');
// Nothing may be loaded. Requests go where the person says: back to where the page came from, anywhere by https, or to this machine.
const policy = ["default-src 'none'", `script-src ${hashOf(script)} 'wasm-unsafe-eval'`, `style-src ${hashOf(style)}`, 'img-src data:',
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*", "base-uri 'none'", "form-action 'none'"].join('; ');
const parts = { policy, style, script, version };
writeFileSync(out, read('page.html').replace(/@(policy|style|script|version)@/g, (_, name) => parts[name]));
