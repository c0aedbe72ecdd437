// Two tabs of one origin in Chromium report to the same campaign at the same time, each at its own level and in a round of its
// own, so that two reports would differ: one is made, and the ledger they share has one entry. With the browser's locks the tabs take
// turns; without them the later one is refused and then gets the report that is there. Argument: vectors.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { startBrowser } from './browser.mjs';

const TYPES = { '/ppgnn.js': 'text/javascript', '/ppgnn.wasm': 'application/wasm' };
const ROUNDS = 5;
const { plan } = JSON.parse(readFileSync(process.argv[2], 'utf8')).find((one) => one.kind === 'signs' && one.secrecy === 'protected' && one.previews.length >= 2);

const host = createServer((request, response) => {
  const type = TYPES[request.url];
  response.writeHead(200, { 'content-type': type ?? 'text/html' });
  response.end(type ? readFileSync(join(process.env.PPGNN_WEB, 'package', request.url)) : '<!doctype html><link rel="icon" href="data:,"><title>tab</title>');
});
await new Promise((done) => { host.listen(0, '127.0.0.1', done); });

// In the tab: a device with the ledger of this round. Between load and store there is time for the other tab, which hears when this
// one has loaded; without locks both wait until both have.
async function prepare(text, name, locks) {
  const { PpgnnError, indexedDbLedger, load, toHex } = await import('/ppgnn.js');
  const device = (await load()).open(text);
  const ledger = indexedDbLedger(name);
  const channel = new BroadcastChannel(name);
  const otherLoaded = new Promise((done) => { channel.onmessage = done; });
  const pause = () => new Promise((done) => { setTimeout(done, 100); });
  let first = true;
  device.agree({ report: 1e3, lifetime: Infinity, reports: Infinity, levelDisclosed: true });
  device.useLedger({
    load: ledger.load,
    async store(bytes) {
      channel.postMessage('loaded');
      if (first) await (locks ? pause() : otherLoaded);
      first = false;
      return ledger.store(bytes);
    },
    ...(locks ? { exclusive: ledger.exclusive } : {}),
  });
  globalThis.report = async (level) => {
    try {
      const { bytes, fresh } = await device.report({ level, round: level, features: { ones: [0, 2] } });
      return { bytes: toHex(bytes), fresh };
    } catch (error) {
      return { refused: error instanceof PpgnnError ? error.code : String(error) };
    }
  };
  globalThis.entries = async () => (await device.ledger()).entries.length;
  return typeof ledger.exclusive;
}

const browser = await startBrowser();
try {
  const tabs = [await browser.newPage(), await browser.newPage()];
  for (const tab of tabs) await tab.open(`http://127.0.0.1:${host.address().port}/`);
  const both = (expression) => Promise.all(tabs.map((tab, i) => tab.evaluate(expression(i))));
  const reports = () => both((i) => `report(${i + 1})`);
  const round = async (name, locks) => {
    const found = await both(() => `(${prepare})(${JSON.stringify(plan)}, '${name}', ${locks})`);
    assert.deepEqual(found, ['function', 'function'], 'this browser has locks');
    return reports();
  };

  for (let i = 0; i < ROUNDS; i++) {
    const [one, two] = await round(`turns-${i}`, true);
    assert.match(one.bytes ?? '', /^([0-9a-f]{2})+$/, JSON.stringify(one));
    assert.equal(two.bytes, one.bytes, 'one report, whoever asks');
    assert.deepEqual([one.fresh, two.fresh].sort(), [false, true], 'made once');
    assert.deepEqual(await both(() => 'entries()'), [1, 1]);
  }

  for (let i = 0; i < ROUNDS; i++) {
    const first = await round(`race-${i}`, false);
    assert.deepEqual(first.map(({ refused }) => refused).sort(), ['storage', undefined], 'one of them was too late');
    const again = await reports();
    const kept = first.find(({ bytes }) => bytes).bytes;
    assert.deepEqual(again, [{ bytes: kept, fresh: false }, { bytes: kept, fresh: false }]);
    assert.deepEqual(await both(() => 'entries()'), [1, 1]);
  }
  for (const tab of tabs) assert.deepEqual(tab.complaints, []);
} finally {
  await browser.close();
  host.close();
}
