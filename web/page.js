// The participant's page: what a person does, in the order of the sections. The rules are in the module (ppgnn.js), and so are
// the words on privacy; here is only what shows them.
import { PpgnnError, fromHex, indexedDbLedger, load } from './ppgnn.js';
import { FIELDS, fieldsOf } from './fields.js';
import { invitation, isSafe, ownAddress, request, served, tokenOf } from './collector.js';

const at = (id) => document.getElementById(id);
const ppgnn = await load(Uint8Array.from(atob('@module@'), (sign) => sign.charCodeAt(0)));
const ledger = indexedDbLedger();
// invited: what the collector said; silent: there is nothing to report here; turn: counts plans, so that what comes late is noticed.
const state = { device: null, features: null, report: null, invited: null, silent: false, turn: 0 };

// Runs an action and says below its control why it did not work.
async function attempt(problem, action) {
  at(problem).textContent = '';
  const { turn } = state;
  try {
    return await action(turn);
  } catch (error) {
    if (turn !== state.turn) return undefined; // of a plan that was put away
    at(problem).textContent = sentence(error.message);
    return undefined;
  }
}
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.');
// Three digits, rounded up: a bound stays one.
function up(value) {
  const shown = Number(value.toPrecision(3));
  const unit = 10 ** (Math.floor(Math.log10(shown || 1)) - 2);
  return Number((shown < value ? shown + unit : shown).toPrecision(3));
}
const nats = (value) => (value === Infinity ? 'all of it' : `${up(value)} ${up(value) === 1 ? 'nat' : 'nats'}`);
// Of 100 guesses, how many are right at most: one decimal, rounded up, as the module's own words have it; above 99.9 all of them.
function rightOf(percent) {
  const shown = Number(percent.toFixed(1));
  return percent > 99.9 ? 100 : Number((shown < percent ? shown + 0.1 : shown).toFixed(1));
}
const becomes = (right) => (right === 100 ? 'near certainty' : `${right.toFixed(1)}:${(100 - right).toFixed(1)}`);
const show = (id, visible) => { at(id).hidden = !visible; };
const ready = () => state.device !== null && !state.silent && (!state.device.plan.asks || state.asked);

// The invitation, where the page comes from a collector. The part of a link after # stays in the browser.
function takeLink() {
  if (location.hash.length < 2) return;
  at('invitation').value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname + location.search);
}
if (served) {
  takeLink();
  addEventListener('hashchange', takeLink);
  at('origin').textContent = location.host;
  for (const id of ['invitation-part', 'asks-words']) show(id, true);
  show('open-line', !isSecureContext);
  document.querySelectorAll('.step').forEach((step, i) => { step.textContent = i + 1; });
}

// Enter does what the button after the field does.
for (const [field, button] of [['invitation', 'ask'], ['token', 'send'], ['collector', 'send']]) {
  at(field).addEventListener('keydown', (event) => { if (event.key === 'Enter' && !event.isComposing) at(button).click(); });
}

at('ask').addEventListener('click', () => putAway() && attempt('ask-problem', async (turn) => {
  at('plan-file').value = '';
  await showPlan();
  const token = tokenOf(at('invitation').value);
  let invited;
  try {
    invited = await invitation(token);
  } catch (error) {
    // The token is good, and no round is open, or it was erased before.
    if (turn === state.turn) show('erase-part', [404, 410].includes(error.status));
    throw error;
  }
  if (turn !== state.turn) return;
  const device = ppgnn.open(invited.text);
  state.device = device; // which the next one closes
  const { hash, asks } = device.plan;
  if (hash !== invited.plan) throw new Error('another round has begun just now; ask again');
  device.setPerson(invited.person);
  device.setRecipient(ownAddress('').replace(/\/$/, '')); // this collector, and nobody else
  if (invited.asked && asks) device.setQuestion(fromHex(invited.question));
  device.useLedger(ledger);
  if (!invited.asked) await device.notAsked(); // changes nothing where there is a report
  const known = (await device.ledger()).state;
  const here = known === 'reported' || known === 'other';
  if (turn !== state.turn) return;
  Object.assign(state, { invited, asked: invited.asked && asks, silent: !invited.asked || (invited.reported && !here) });
  at('person').value = invited.person;
  at('round').value = invited.round;
  at('collector').value = ownAddress('v1/reports');
  at('token').value = token;
  at('ask-status').textContent = `The collector knows you as “${invited.person}”. ${standing(invited, here)}`;
  show('erase-part', true);
  await showPlan();
}));
const hasReport = 'It has your report.';
function standing({ asked, reported, round }, here) {
  if (!asked && (reported || here)) return 'You reported in this campaign before, and are not asked again.';
  if (!asked) return 'You are not asked in this round. Nothing is sent and nothing is spent.';
  if (reported && here) return hasReport;
  if (reported) return 'It has a report of yours, which was not made in this browser. It takes no other, so none is made here.';
  return `You are asked in round ${round}.`;
}

at('erase').addEventListener('click', () => attempt('erase-problem', async () => {
  if (!at('erase-sure').checked) throw new Error('tick the box above if you are sure');
  const answer = await request(ownAddress('v1/reports'), { method: 'DELETE', token: tokenOf(at('invitation').value), later: 'try again; erasing twice is like once' });
  const { receipt, note } = await answer.json();
  const kept = element('span', note);
  kept.className = 'plain';
  // Nobody knows where no round is open: then the note is for those who reported.
  const reported = state.invited?.reported;
  if (reported === false) kept.textContent = 'There was no report of yours, so nothing was told and no privacy was spent. You cannot report in this campaign any more.';
  else if (reported === undefined) kept.textContent = `If you had reported: ${note}`;
  at('erase-status').replaceChildren(`${reported === false ? 'Done' : 'Erased'}. Your receipt, if you want to show later that it was done: `, element('code', receipt), '. ', kept);
  at('erase-sure').checked = false;
}));

// What a browser cannot take back from other copies, it does not keep in this one.
const forget = (features) => [features?.columns, features?.values].forEach((one) => one?.fill(0));

// The plan.
function putAway() {
  state.device?.close();
  forget(state.features);
  Object.assign(state, { device: null, features: null, report: null, asked: false, invited: null, silent: false });
  for (const id of ['features-file', 'question-file']) at(id).value = '';
  for (const id of ['ask-problem', 'plan-problem', 'features-problem', 'features-summary', 'make-problem', 'status', 'send-problem', 'send-status', 'ask-status',
    'erase-problem', 'erase-status']) at(id).textContent = '';
  for (const id of ['agree', 'erase-sure', 'permit']) at(id).checked = false;
  // What needs a plan comes back with the next one.
  for (const id of ['erase-part', 'permit-part', 'plan-facts', 'features-part', 'level-part', 'send-part']) show(id, false);
  return ++state.turn;
}

at('plan-file').addEventListener('change', () => putAway() && attempt('plan-problem', async () => {
  const file = at('plan-file').files[0];
  try {
    const text = await file?.text();
    if (file !== at('plan-file').files[0]) return; // another was chosen in the meantime
    if (file) state.device = ppgnn.open(text);
  } finally {
    await showPlan();
  }
}));

async function showPlan() {
  const { device } = state;
  for (const id of ['plan-facts', 'ledger-part']) show(id, device !== null);
  for (const id of ['features-part', 'level-part']) show(id, device !== null && !state.silent);
  const plan = device?.plan;
  const { invited } = state;
  show('person-part', plan?.needsPerson);
  show('question-part', plan?.asks && !state.silent);
  for (const id of ['plan-choice', 'question-choice']) show(id, invited === null);
  for (const id of ['person', 'round', 'collector']) at(id).readOnly = invited !== null; // made for this collector, sent to no other
  at('plan-source').textContent = invited ? 'This one is the collector’s.' : 'You have it from the people who invited you.';
  at('round-help').textContent = invited ? 'As the collector says.' : '0 unless you were told another.';
  show('question-words', false);
  show('made', false);
  show('make-part', true);
  show('send-part', ready());
  if (!plan) return;
  device.useLedger(ledger);
  at('plan-what').textContent = sentence(plan.title);
  at('plan-campaign').textContent = plan.campaign;
  at('plan-rule').textContent = plan.rule;
  show('campaign-line', plan.campaign !== '');
  show('rule-line', plan.rule !== '');
  at('plan-hash').textContent = plan.hash;
  at('plan-introduction').textContent = plan.introduction;
  at('notes').replaceChildren(...plan.notes.map((note) => element('li', sentence(note))));
  at('levels').replaceChildren(...Array.from({ length: plan.levels }, (_, i) => {
    const { spend, odds, percent } = device.level(i + 1);
    return tableRow(String(i + 1), nats(spend), `${up(odds)}-fold`, becomes(rightOf(percent)));
  }));
  at('level').max = plan.levels;
  // What was declared at enrolment stands: the collector would refuse a report of another level, after it was made.
  const declared = plan.levelIsPublic ? state.invited?.level : null;
  at('level').value = declared ?? 1;
  at('level').disabled = Number.isInteger(declared);
  show('declared-words', Number.isInteger(declared));
  show('level-public', plan.levelIsPublic);
  if (plan.needsPerson && at('person').value) device.setPerson(at('person').value);
  await showLevel();
  const sums = await showLedger();
  // The person may have gone on in the meantime.
  if (state.device !== device || state.report) return;
  if (sums?.state === 'other') showOther();
  if (sums?.state === 'reported') await attempt('make-problem', () => showAgain(device));
}

// A report of another plan of this campaign, or to another question: it is not handed out here, and none is made.
function showOther() {
  for (const id of ['make-part', 'features-part', 'level-part']) show(id, false);
  show('send-part', true);
  at('preview').textContent = at('ledger-words').textContent = '';
  at('status').textContent = 'You reported to this campaign before, under another plan or to another question. It gets no other report of you.';
}

// The report there is; one that was made for somebody else only with the person's word.
async function showAgain(device) {
  show('make-part', false);
  const bytes = await permitted(device, () => device.resend());
  if (state.device !== device || state.report) return;
  at('preview').textContent = '';
  await showReport(bytes, false);
}

const ASKED = {
  reported: 'My report of this campaign was made for somebody else. It may also go to the collector of this page, which then learns all that it tells.',
  none: 'I reported to another plan without a campaign before. This may be the same plan with a changed byte; I want to make a second report all the same, which costs again.',
};
// Runs an action that may need the person's word; asks for it where it does, and takes it once.
async function permitted(device, action) {
  const { state: known } = await device.ledger();
  const given = at('permit').checked;
  device.permit({ otherRecipient: given && known === 'reported', unnamedAgain: given && known !== 'reported' });
  try {
    return await action();
  } catch (error) {
    if (error.code === 'not-permitted' && state.device === device) {
      at('permit-words').textContent = ASKED[known === 'reported' ? 'reported' : 'none'];
      show('permit-part', true);
    }
    throw error;
  } finally {
    if (state.device === device) device.permit();
  }
}
at('permit').addEventListener('change', () => {
  const { device } = state;
  if (at('permit').checked && at('make-part').hidden) attempt('make-problem', () => showAgain(device));
});

at('person').addEventListener('change', () => attempt('plan-problem', async () => {
  state.device.setPerson(at('person').value);
  await showLevel();
}));
at('question-file').addEventListener('change', () => attempt('question-problem', async () => {
  state.asked = false;
  const file = at('question-file').files[0];
  try {
    if (!file) return;
    const { device } = state;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (state.device !== device || file !== at('question-file').files[0]) return;
    device.setQuestion(bytes);
    state.asked = true;
  } finally {
    show('send-part', ready());
    await showLevel();
  }
}));

// Features.
at('features-file').addEventListener('change', () => attempt('features-problem', async () => {
  forget(state.features);
  state.features = null;
  at('features-summary').textContent = '';
  const file = at('features-file').files[0];
  if (!file) return;
  const { device } = state;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (state.device !== device || file !== at('features-file').files[0]) return;
  try {
    state.features = device.readFeatures(bytes);
  } finally {
    bytes.fill(0);
  }
  at('features-summary').textContent = `Read: ${state.features.columns.length} of ${device.plan.columns} columns are listed.`;
}));

// The level.
at('level').addEventListener('input', () => showLevel());
at('round').addEventListener('change', () => showLevel());

async function showLevel() {
  const { device } = state;
  const level = Number(at('level').value);
  const { levels, needsPerson, largestSpend, levelIsPublic } = device.plan;
  const facts = device.level(level);
  const right = rightOf(facts.percent);
  at('level-number').textContent = `level ${level} of ${levels}`;
  at('level').setAttribute('aria-valuetext', `level ${level} of ${levels}: at most ${right} of 100 guesses right`);
  at('level-odds').textContent = right === 100
    ? 'Whoever sees the report may be nearly certain.'
    : `A guess at 50:50 becomes ${becomes(right)} at most.`;
  at('dots-words').textContent = `If somebody guesses one thing about 100 people like you, 50 guesses are right by chance. With `
    + `their reports, at most ${right} are, on average. Your report costs ${nats(facts.spend)}.`;
  at('agree-words').textContent = `I agree to this report, which costs ${nats(facts.spend)} at my level`
    + `${up(largestSpend) > up(facts.spend) ? ` and counts as ${nats(largestSpend)} in my limits, as for everybody: what it costs at the most relaxed level` : ''}`
    + `${levelIsPublic ? '; my level is sent along' : ''}.`;
  drawDots(Math.ceil(right));
  show('question-words', ready() && state.asked);
  if (needsPerson && !at('person').value) {
    at('preview').textContent = 'Your name in this campaign is missing, above.';
  } else if (ready()) {
    at('preview').textContent = device.preview(level);
    if (state.asked) at('question-words').textContent = device.question(level);
    if (state.report) return;
    showExample(level, facts);
    await attempt('make-problem', async () => {
      const words = await device.ledgerWords(level);
      if (device === state.device && level === Number(at('level').value) && !state.report) at('ledger-words').textContent = words;
    });
  }
}

function drawDots(right) {
  at('dots').replaceChildren(...Array.from({ length: 100 }, (_, i) => {
    const dot = document.createElementNS('http://www.w3.org/2000/svg', 'use');
    dot.setAttribute('href', i < 50 ? '#dot-chance' : i < right ? '#dot-told' : '#dot-wrong');
    for (const [name, value] of [['x', 20 * (i % 10)], ['y', 20 * Math.floor(i / 10)], ['width', 20], ['height', 20]]) {
      dot.setAttribute(name, value);
    }
    return dot;
  }));
}

// What would be sent, and sending it.
function showBytes(title, help, bytes) {
  at('bytes-title').textContent = title;
  at('bytes-help').textContent = help;
  at('fields').replaceChildren(...fieldsOf(bytes).map(([key, hex]) => {
    const value = element('td');
    value.append(element('code', hex));
    return tableRow(FIELDS[key]?.[0] ?? `Field ${key}`, value, FIELDS[key]?.[1] ?? '');
  }));
}
const roundOf = () => {
  if (!/^\d{1,19}$/.test(at('round').value)) throw new PpgnnError('invalid-argument', 'round: must be a whole number from 0');
  return BigInt(at('round').value);
};
function showExample(level) {
  const bytes = state.device.example(level, /^\d{1,19}$/.test(at('round').value) ? BigInt(at('round').value) : 0n);
  showBytes(`An example, ${bytes.length} bytes`, 'Of somebody without any feature, as long as yours would be. These are all the fields there are.', bytes);
}

// What the person sets, or leaves as it is.
const usual = ppgnn.defaultLimits();
at('limit-nats').value = usual.lifetime;
at('limit-reports').value = usual.reports;
function limitsOf() {
  const lifetime = Number(at('limit-nats').value);
  if (!(lifetime > 0)) throw new Error('the limit on nats must be a number above 0');
  if (!/^\d{1,9}$/.test(at('limit-reports').value)) throw new Error('the limit on reports must be a whole number from 0');
  return { lifetime, reports: BigInt(at('limit-reports').value) };
}

at('make').addEventListener('click', () => attempt('make-problem', async () => {
  const { device, features } = state;
  if (!features) throw new Error('your features are missing: choose a file under Your features');
  if (!at('agree').checked) throw new Error('tick the box above if you agree');
  const { largestSpend, levelIsPublic, needsPerson } = device.plan;
  if (needsPerson) device.setPerson(at('person').value);
  device.agree({ report: largestSpend, levelDisclosed: levelIsPublic, ...limitsOf() });
  const { bytes, fresh } = await permitted(device, () => device.report({ level: Number(at('level').value), features, round: roundOf() }));
  if (state.device === device) await showReport(bytes, fresh);
}));

// The report there is. A campaign gets no other, so there is nothing more to make.
async function showReport(bytes, fresh) {
  state.report = bytes;
  showBytes(`Your report, ${bytes.length} bytes`, 'Exactly this is downloaded or sent.', bytes);
  at('status').textContent = fresh
    ? 'Your report is made and kept in this browser. It has not been sent.'
    : 'You reported to this campaign before. This is that report, unchanged: sending it again tells nothing new.';
  at('ledger-words').textContent = '';
  show('send-part', true);
  for (const id of ['make-part', 'permit-part']) show(id, false);
  show('made', true);
  at('level').disabled = true;
  await showLedger();
  if (fresh) at('download').focus();
}

at('download').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([state.report], { type: 'application/cbor' }));
  link.download = 'report.cbor';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

at('send').addEventListener('click', () => attempt('send-problem', async () => {
  at('send-status').textContent = '';
  const url = at('collector').value.trim();
  if (!isSafe(url) && !(served && url === ownAddress('v1/reports'))) throw new Error('the address must begin with https://');
  const answer = await request(url, { method: 'POST', body: state.report, type: 'application/cbor', token: at('token').value,
    later: 'try again later, the same report is sent' });
  const { outcome } = await answer.json().catch(() => ({}));
  at('status').textContent = 'Your report is kept in this browser.';
  if (state.invited) {
    state.invited.reported = true;
    at('ask-status').textContent = `The collector knows you as “${state.invited.person}”. ${hasReport}`;
  }
  at('send-status').textContent = outcome === 'repeated'
    ? 'The collector had this report already. Nothing new was told.'
    : 'Sent. The collector has your report.';
}));

// The ledger.
async function showLedger() {
  const sums = await attempt('make-problem', () => state.device.ledger());
  if (!sums) return undefined;
  const count = Number(sums.reports);
  at('ledger-sum').textContent = count === 0 ? 'Nothing: no report was made in this browser.'
    : `${count === 1 ? 'One report' : `${count} reports`}: ${nats(sums.features)} about your features, ${nats(sums.level)} about your level.`;
  show('ledger-table', sums.entries.length > 0);
  at('ledger-rows').replaceChildren(...sums.entries.map((entry) => {
    const told = { reported: 'reported', decides: 'decides at home' }[entry.state] ?? 'not asked';
    return tableRow(entry.campaign || `plan ${entry.plan.slice(0, 8)}`, told, entry.recipient, nats(entry.features), nats(entry.level));
  }));
  return sums;
}

function tableRow(heading, ...cells) {
  const row = element('tr');
  const name = element('th', heading);
  name.scope = 'row';
  row.append(name, ...cells.map((cell) => (cell instanceof Node ? cell : element('td', cell))));
  return row;
}

function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

// A file that was chosen before this page was ready, or that the browser put back.
if (at('plan-file').files.length > 0) at('plan-file').dispatchEvent(new Event('change'));
