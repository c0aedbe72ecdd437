// The participant's page in Chromium, from a file and by keyboard alone: what it makes, the server reads; nothing is requested
// but what the person sends; a second report is the first. Arguments: vectors, read_report, and if wanted a folder for pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { checkPage } from './accessible.mjs';
import { startBrowser } from './browser.mjs';

const [vectorsFile, readReport, pictures] = process.argv.slice(2);
const url = pathToFileURL(resolve(process.env.PPGNN_WEB, 'package/participant.html')).href;
const vectors = JSON.parse(readFileSync(vectorsFile, 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'ppgnn-page-'));
const write = (name, content) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const find = (kind, secrecy, levels) => vectors.find((one) => one.kind === kind && one.secrecy === secrecy && one.previews.length >= levels);

const received = [];
const collector = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    if (request.method === 'POST') received.push({ body: Buffer.concat(parts), headers: request.headers });
    response.writeHead(request.method === 'POST' ? 201 : 204, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' });
    response.end();
  });
});
await new Promise((done) => { collector.listen(0, '127.0.0.1', done); });

const browser = await startBrowser();
await browser.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });

const accessible = (page, name, texts) => checkPage(page, name, { texts, pictures });

async function downloaded(page) {
  const file = join(folder, 'report.cbor');
  rmSync(file, { force: true });
  await page.tabTo('download');
  await page.press('Enter');
  for (let i = 0; i < 200 && !existsSync(file); i++) await new Promise((done) => { setTimeout(done, 25); });
  return readFileSync(file);
}
const reads = (plan, bytes) => execFileSync(readReport, [plan, write('one.cbor', bytes)], { encoding: 'utf8' }).trim();

// Plan, features, level and agreement to a report, by keyboard.
async function make(page, { plan, question, features, steps = 0, round }) {
  await page.pick('plan-file', plan);
  await page.until("!document.getElementById('plan-facts').hidden");
  if (await page.evaluate("!document.getElementById('person-part').hidden")) {
    await page.tabTo('person');
    await page.type('ana');
  }
  if (question) {
    await page.pick('question-file', question);
    await page.until("!document.getElementById('question-words').hidden");
  }
  await page.pick('features-file', features);
  await page.until("document.getElementById('features-summary').textContent !== ''");
  await page.tabTo('level');
  await page.press('ArrowRight', steps);
  await page.tabTo('round');
  if (round) {
    await page.evaluate("document.activeElement.select()");
    await page.type(round);
  }
  await page.tabTo('agree');
  await page.press('Space');
  await page.tabTo('make');
  await page.press('Enter');
  await page.until("!document.getElementById('made').hidden || document.getElementById('make-problem').textContent !== ''");
  assert.equal(await page.text('make-problem'), '');
  return downloaded(page);
}

async function signs() {
  const page = await browser.newPage();
  await page.open(url);
  const vector = find('signs', 'protected', 5);
  const plan = write('plan.txt', vector.plan);
  const features = write('features.json', JSON.stringify({ 0: 1, 2: 1 }));
  const first = await make(page, { plan, features, steps: 2, round: '7' });
  assert.equal(reads(plan, first), 'signs round 7');
  assert.match(await page.text('preview'), /^Level 3\. Your device sends/);
  assert.equal(await page.text('preview'), vector.previews[2], 'the words are the native client\'s');
  const percent = (await page.text('level-odds')).match(/becomes ([\d.]+:[\d.]+) at most/)[1];
  assert.ok((await page.text('preview')).includes(`on the odds at most: from 50:50 to at most ${percent}.`), 'one percentage');
  assert.ok((await page.evaluate("document.getElementById('levels').textContent")).includes(percent));
  assert.equal(await page.evaluate("document.querySelectorAll('#dots use[href=\"#dot-told\"]').length"), Math.ceil(Number(percent.split(':')[0])) - 50);
  assert.equal(await page.evaluate("document.querySelectorAll('#dots use').length"), 100);
  await page.until("document.getElementById('ledger-sum').textContent.startsWith('One report')");
  const shown = (await page.evaluate("[...document.querySelectorAll('#fields code')].map((one) => one.textContent).join(' ')")).replaceAll(' ', '');
  assert.equal(shown, `01${first.subarray(6, 38).toString('hex')}07${first.subarray(42).toString('hex')}`, 'every field is on the page');
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
  await accessible(page, 'made');

  assert.deepEqual(page.requests.filter((one) => !one.url.startsWith('blob:')), [{ url, method: 'GET' }], 'nothing was requested');
  await page.tabTo('collector');
  await page.type(`http://127.0.0.1:${collector.address().port}/reports`);
  await page.tabTo('token');
  await page.type('secret');
  await page.tabTo('send');
  await page.press('Enter');
  await page.until("document.getElementById('send-status').textContent !== ''");
  assert.equal(received.length, 1);
  assert.deepEqual(received[0].body, first, 'what was shown is what was sent');
  assert.equal(received[0].headers.authorization, 'Bearer secret');
  assert.equal(received[0].headers.cookie ?? received[0].headers.referer, undefined);

  // Again, later: the same report, and no way to another.
  await page.open(url);
  await page.pick('plan-file', plan);
  await page.until("!document.getElementById('made').hidden");
  assert.deepEqual(await downloaded(page), first);
  assert.equal(await page.evaluate("document.getElementById('make').checkVisibility()"), false);
  assert.match(await page.text('status'), /^You reported to this campaign before/);
  assert.deepEqual(page.complaints, []);
}

async function answer() {
  const page = await browser.newPage();
  await page.open(url);
  await accessible(page, 'start', 8);
  const vector = find('answer', 'protected', 2);
  const plan = write('answer.txt', vector.plan);
  const bytes = await make(page, { plan, question: write('question.bin', Buffer.from(vector.question, 'hex')), features: write('row.json', '[1, 0, 1]'), steps: 1 });
  assert.equal(reads(plan, bytes), 'answer round 0');
  assert.match(await page.text('question-words'), /^Your device answers one question: .*weigh in it/);
  await accessible(page, 'answer');
  // Another plan of the same campaign: it has its report, which is not this plan's.
  await page.pick('plan-file', write('teach.txt', find('directions', 'public', 2).plan));
  await page.until("document.getElementById('status').textContent.startsWith('You reported to this campaign before, under another plan')");
  for (const id of ['make', 'download', 'send']) assert.equal(await page.evaluate(`document.getElementById('${id}').checkVisibility()`), false, id);
  assert.deepEqual(page.complaints, []);
}

async function refusals() {
  const page = await browser.newPage();
  await page.open(url);
  const vector = find('directions', 'public', 2);
  await page.pick('plan-file', write('edited.txt', vector.plan.replace('prior', 'Prior')));
  await page.until("document.getElementById('plan-problem').textContent !== ''");
  assert.match(await page.text('plan-problem'), /hash does not fit/);
  assert.equal(await page.evaluate("document.getElementById('features-part').hidden"), true);
  await page.evaluate("document.body.focus()");
  await page.pick('plan-file', write('public.txt', vector.plan));
  await page.until("!document.getElementById('level-public').hidden");
  await page.pick('features-file', write('bad.json', '{"no such column": 3}'));
  await page.until("document.getElementById('features-problem').textContent !== ''");
  assert.equal(await page.text('features-problem'), 'Line 1: the plan has no column of this number or name.', 'and does not say which');
  await page.tabTo('make');
  await page.press('Enter');
  await page.until("document.getElementById('make-problem').textContent !== ''");
  assert.match(await page.text('make-problem'), /features are missing/);
  assert.deepEqual(page.complaints, []);
}

// Words that are true: what a report costs at the person's level, one nat, limits that are said, a second unnamed plan only with a word.
async function words() {
  const page = await browser.newPerson();
  await page.open(url);
  const [first, second] = [...new Set(vectors.filter((one) => one.secrecy === 'protected' && one.kind === 'signs' && one.previews.length >= 2
    && !/^campaign /m.test(one.plan)).map((one) => one.plan))];
  const features = write('features.json', JSON.stringify({ 0: 1 }));
  await page.pick('plan-file', write('first.txt', first));
  await page.until("document.getElementById('agree-words').textContent !== ''");
  const costs = await page.evaluate("[...document.querySelectorAll('#levels tr')].map((row) => row.children[1].textContent)");
  const [least, most] = [costs[0], costs.at(-1)];
  assert.ok(costs.every((one) => /^(1 nat|[\d.]+ nats)$/.test(one) && one !== '1 nats'), costs.join());
  assert.match(await page.text('agree-words'), new RegExp(`costs ${least} at my level and counts as ${most} in my limits`));
  assert.ok((await page.text('dots-words')).endsWith(`costs ${least}.`));
  assert.deepEqual(await page.evaluate("['limit-nats', 'limit-reports'].map((id) => document.getElementById(id).value)"), ['10', '10']);
  assert.equal(await page.evaluate("document.querySelector('link[rel=icon]').getAttribute('href')"), 'data:,');
  let picked = 0; // the same file again is no choice
  const tryTo = async (plan, ...extra) => {
    await page.evaluate("document.getElementById('features-summary').textContent = 'of the plan before'; document.body.focus()");
    await page.pick('plan-file', write(`one-${picked += 1}.txt`, plan));
    await page.until("document.getElementById('features-summary').textContent === '' && !document.getElementById('features-part').hidden");
    await page.pick('features-file', features);
    await page.until("document.getElementById('features-summary').textContent !== ''");
    for (const [id, value] of extra) await page.evaluate(`document.getElementById('${id}').value = '${value}'`);
    await page.tabTo('agree');
    await page.press('Space');
    await page.tabTo('make');
    await page.press('Enter');
    await page.until("!document.getElementById('made').hidden || document.getElementById('make-problem').textContent !== ''");
    return page.text('make-problem');
  };
  assert.match(await tryTo(first, ['limit-reports', '0']), /as many reports/);
  assert.match(await tryTo(first, ['limit-reports', '2'], ['limit-nats', '0.1']), /exceed what the person agreed/);
  assert.match(await tryTo(first, ['limit-nats', '']), /must be a number above 0/);
  assert.equal(await tryTo(first, ['limit-nats', '100']), '');
  assert.match(await tryTo(second), /only with the person's word/);
  assert.match(await page.text('permit-words'), /I reported to another plan without a campaign before/);
  await accessible(page, 'permit');
  await page.evaluate("document.getElementById('round').focus()");
  await page.tabTo('permit');
  await page.press('Space');
  await page.evaluate("document.getElementById('round').focus()");
  await page.tabTo('make');
  await page.press('Enter');
  await page.until("!document.getElementById('made').hidden");
  await page.until("document.getElementById('ledger-sum').textContent.startsWith('2 reports')");
  // Enter in the token's field sends.
  const before = received.length;
  await page.tabTo('collector');
  await page.type(`http://127.0.0.1:${collector.address().port}/reports`);
  await page.tabTo('token');
  await page.press('Enter');
  await page.until("document.getElementById('send-status').textContent !== ''");
  assert.equal(received.length, before + 1);
  assert.deepEqual(page.complaints, []);
}

try {
  await signs();
  await refusals();
  await answer();
  await words();
} finally {
  await browser.close();
  collector.close();
  rmSync(folder, { recursive: true, force: true });
}
