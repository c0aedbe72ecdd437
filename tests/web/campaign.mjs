// The participant's page from a real collector, by keyboard alone: a person comes by a link with a token, is asked, reports, sends twice
// and erases; another is not asked, and answers the second round's question. Arguments: the command ppgnn, and if wanted a folder for pictures.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { checkPage } from './accessible.mjs';
import { startBrowser } from './browser.mjs';

const [ppgnn, pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ppgnn-campaign-'));
const file = (name) => join(folder, name);
const run = (...options) => execFileSync(ppgnn, options, { encoding: 'utf8' });
const data = 'synthetic:social,nodes=200,attributes=40';
const store = `sqlite:${file('store')}`;
const status = () => JSON.parse(run('campaign', 'status', '--store', store, '--json'));

run('campaign', 'start', '--data', data, '--campaign', 'spring', '--store', store);
run('enrol', '--store', store, '--keys', file('keys'), '--data', data, '--out', file('tokens'));
writeFileSync(file('features.json'), JSON.stringify({ ones: [3, 17, 30] }));
const tokens = readFileSync(file('tokens'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(','));

const server = spawn(ppgnn, ['serve', '--store', store, '--keys', file('keys'), '--listen', '127.0.0.1:0', '--exempt', '127.0.0.1', '--page',
  resolve(process.env.PPGNN_WEB, 'package/participant.html')], { stdio: ['ignore', 'pipe', 'inherit'] });
const stopped = new Promise((done) => { server.once('exit', done); });
const [url] = await new Promise((found, failed) => {
  createInterface(server.stdout).once('line', (line) => found([`${line}/`]));
  server.once('exit', () => failed(new Error('the collector did not start')));
});
// Who is asked and who is not, by the API itself.
const askedOf = async (token) => (await (await fetch(`${url}v1/question`, { headers: { authorization: `Bearer ${token}` } })).json()).asked;
const people = await Promise.all(tokens.slice(0, 30).map(async ([name, token]) => ({ name, token, asked: await askedOf(token) })));
const [teacher, ...teachers] = people.filter(({ asked }) => asked);
const other = people.find(({ asked }) => !asked);

// The collector sees a step of the campaign a moment later.
async function until(condition) {
  for (let i = 0; i < 100; i++) {
    if (await condition()) return;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  throw new Error(`never true: ${condition}`);
}

const browser = await startBrowser();
const shown = (id) => `document.getElementById('${id}').checkVisibility()`;
const said = (id) => `document.getElementById('${id}').textContent !== ''`;
// Requests since the last time, without the page itself.
const news = (page) => page.requests.splice(0).map(({ url: to, method }) => `${method} ${to.replace(url, '/')}`);
// A browser notes every refusal; nothing else may be complained of.
const faults = (page) => page.complaints.filter((one) => !/^Failed to load resource: the server responded with a status of 4\d\d/.test(one));
const press = async (page, id, key = 'Enter') => {
  await page.tabTo(id);
  await page.press(key);
};

async function asked(page, { token }) {
  await page.open('about:blank'); // else another part after # is no visit
  news(page);
  await page.open(`${url}#${token}`);
  await page.until(shown('invitation-part'));
  assert.equal(await page.evaluate("document.getElementById('invitation').value"), token);
  assert.equal(await page.evaluate('location.href'), url, 'the token is not left in the address');
  assert.deepEqual(news(page).map((one) => one.replace(/#.*/, '')), ['GET /'], 'nothing is asked before somebody presses a button');
  await press(page, 'invitation'); // Enter in the field asks
  await page.until(`${said('ask-status')} || ${said('ask-problem')}`);
}

async function teaches(page) {
  await asked(page, teacher);
  assert.equal(await page.text('ask-problem'), '');
  assert.equal(await page.text('ask-status'), `The collector knows you as “${teacher.name}”. You are asked in round 0.`);
  assert.deepEqual(news(page), ['GET /v1/question', 'GET /v1/plan']);
  assert.equal(await page.text('plan-campaign'), 'spring');
  await page.until(shown('features-part'));
  await checkPage(page, 'asked', { pictures });
  await page.pick('features-file', file('features.json'));
  await page.until(said('features-summary'));
  await press(page, 'agree', 'Space');
  await press(page, 'make');
  await page.until(`(${shown('made')} && document.activeElement.id === 'download') || ${said('make-problem')}`); // where it leads
  assert.equal(await page.text('make-problem'), '');
  assert.equal(status().rounds[0].reports, 0, 'it is made, and not sent');
  await press(page, 'send');
  await page.until(`${said('send-status')} || ${said('send-problem')}`);
  assert.equal(await page.text('send-status'), 'Sent. The collector has your report.');
  assert.equal(status().rounds[0].reports, 1);
  assert.equal(await page.text('ask-status'), `The collector knows you as “${teacher.name}”. It has your report.`, 'and asks no more');
  assert.ok((await page.evaluate("document.getElementById('ledger-rows').textContent")).includes(url.slice(0, -1)), 'whom it was made for');
  assert.equal(await page.evaluate("document.getElementById('collector').readOnly"), true);
  assert.deepEqual(news(page).filter((one) => !one.includes('blob:')), ['POST /v1/reports']);
  await checkPage(page, 'sent', { pictures });

  // Later, by the same link: the same report, which tells nothing new.
  await asked(page, teacher);
  assert.match(await page.text('ask-status'), /It has your report\.$/);
  await page.until(shown('made'));
  await press(page, 'send');
  await page.until(said('send-status'));
  assert.equal(await page.text('send-status'), 'The collector had this report already. Nothing new was told.');
  assert.equal(status().rounds[0].reports, 1);
}

async function reportedElsewhere() {
  const page = await browser.newPerson();
  await asked(page, teacher);
  assert.match(await page.text('ask-status'), /It takes no other, so none is made here\.$/);
  assert.equal(await page.evaluate(shown('make')), false);
  assert.deepEqual(faults(page), []);
}

async function erases(page) {
  news(page);
  await press(page, 'erase');
  await page.until(said('erase-problem'));
  assert.equal(await page.text('erase-problem'), 'Tick the box above if you are sure.');
  assert.deepEqual(news(page), []);
  await page.evaluate("document.getElementById('invitation').focus()"); // the box stands before the button
  await press(page, 'erase-sure', 'Space');
  await press(page, 'erase');
  await page.until(said('erase-status'));
  assert.match(await page.text('erase-status'), /^Erased\. Your receipt.*: [0-9a-f]{32}\. .*What was computed .* is spent/s);
  assert.deepEqual(news(page), ['DELETE /v1/reports']);
  await checkPage(page, 'erased', { pictures });
  assert.equal(status().rounds[0].reports, 0);
  assert.equal(status().erased, 1);
  await asked(page, teacher);
  assert.equal(await page.text('ask-problem'), "The collector refused: this person's report was erased; none is taken in this campaign.");
  assert.deepEqual(faults(page), []);
}

// Who never reported has spent nothing, and is told so.
async function erasesNothing() {
  const page = await browser.newPerson();
  await asked(page, teachers.at(-1));
  await press(page, 'erase-sure', 'Space');
  await press(page, 'erase');
  await page.until(said('erase-status'));
  assert.match(await page.text('erase-status'), /^Done\. Your receipt.*There was no report of yours, so nothing was told and no privacy was spent\./s);
  assert.doesNotMatch(await page.text('erase-status'), /is spent/);
}

async function notAsked() {
  const page = await browser.newPerson();
  await asked(page, other);
  assert.equal(await page.text('ask-status'),
    `The collector knows you as “${other.name}”. You are not asked in this round. Nothing is sent and nothing is spent.`);
  for (const id of ['features-part', 'level-part', 'send-part']) assert.equal(await page.evaluate(shown(id)), false, id);
  await page.until("document.getElementById('ledger-rows').textContent.includes('not asked')");
  await checkPage(page, 'not-asked', { texts: 15, pictures });
  assert.deepEqual(faults(page), []);
}

// Refusals are sentences, and what is no token is not sent.
async function refusals() {
  const page = await browser.newPerson();
  await page.open(url);
  await page.until(shown('invitation-part'));
  await checkPage(page, 'invitation', { texts: 8, pictures });
  const ask = async (text, id = 'ask-problem') => {
    await page.evaluate("document.getElementById('invitation').value = ''; document.body.focus()");
    await page.tabTo('invitation');
    await page.type(text);
    await press(page, 'ask');
    await page.until(`${said('ask-status')} || ${said('ask-problem')}`);
    return page.text(id);
  };
  news(page);
  assert.match(await ask('secret'), /^This is no token/);
  assert.deepEqual(news(page), []);
  const forged = `${teacher.token.slice(0, -3)}AAA`;
  assert.equal(await ask(forged), 'The collector refused: there is no valid token for this.');
  assert.deepEqual(news(page), ['GET /v1/question'], 'and it is asked nothing more');
  assert.match(await ask(`  ${url}#${teachers[0].token} `, 'ask-status'), /You are asked in round 0\.$/, 'a whole link will do');
  run('submit', '--server', url.slice(0, -1), '--simulate', data, '--tokens', file('tokens'));
  run('campaign', 'close', '--store', store, '--round', '0');
  await until(async () => (await fetch(`${url}v1/plan`)).status === 404);
  assert.equal(await ask(teachers[0].token), 'The collector refused: there is nothing here: no round is open.');
  assert.equal(await page.evaluate(shown('erase-part')), true, 'erasing goes on');
  assert.deepEqual(faults(page), []);
}

// In the second round the collector has a question, and nobody handles a file of it.
async function answers() {
  run('campaign', 'ask', '--store', store, '--data', data);
  await until(async () => (await fetch(`${url}v1/plan`)).status === 200);
  const now = await Promise.all(people.slice(0, 15).map(async ({ token }) => ({ token, asked: await askedOf(token) })));
  const page = await browser.newPerson();
  await asked(page, now.find((one) => one.asked));
  assert.match(await page.text('ask-status'), /You are asked in round 1\.$/);
  await page.until(shown('question-words'));
  assert.match(await page.text('question-words'), /^Your device answers one question: /);
  assert.equal(await page.evaluate(shown('question-file')), false);
  await page.pick('features-file', file('features.json'));
  await page.until(said('features-summary'));
  await checkPage(page, 'question', { pictures });
  await press(page, 'agree', 'Space');
  await press(page, 'make');
  await page.until(`(${shown('made')} && document.activeElement.id === 'download') || ${said('make-problem')}`); // where it leads
  await press(page, 'send');
  await page.until(`${said('send-status')} || ${said('send-problem')}`);
  assert.equal(await page.text('send-status'), 'Sent. The collector has your report.');
  assert.equal(status().rounds[1].reports, 1);
  assert.deepEqual(faults(page), []);

  // Who taught is not asked again.
  const taught = await browser.newPerson();
  await asked(taught, teachers[0]);
  assert.match(await taught.text('ask-status'), /You reported in this campaign before, and are not asked again\.$/);
}

try {
  const page = await browser.newPage();
  await teaches(page);
  await reportedElsewhere();
  await erases(page);
  await erasesNothing();
  await notAsked();
  await refusals();
  await answers();
} finally {
  await browser.close();
  server.kill();
  await stopped;
  rmSync(folder, { recursive: true, force: true });
}
