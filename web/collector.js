// What the page says to a collector, and only when a person presses a button: no cookies, no referrer, no way to another address.

/** Whether the page came from a server, which may be a collector; a page from a disk asks nobody. */
export const served = /^https?:$/.test(location.protocol);
/** An address of the collector beside the page. */
export const ownAddress = (path) => new URL(path, location.origin + location.pathname).href;
/** Whether nobody on the way can read or change what is sent there. */
export const isSafe = (url) => /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)[:/])/.test(url);

// The collector's own words (RFC 9457), if it has some.
async function refusal(answer) {
  const type = answer.headers.get('content-type') ?? '';
  const problem = type.startsWith('application/problem+json') ? await answer.json().catch(() => null) : null;
  const words = [problem?.title, problem?.detail].filter((one) => typeof one === 'string').join(': ').slice(0, 300);
  return Object.assign(new Error(words ? `the collector refused: ${words}` : `the collector refused (${answer.status})`), { status: answer.status });
}

/** One request; throws a sentence where it is refused or nobody answers. */
export async function request(url, { method = 'GET', body, type, token, later = 'try again later' } = {}) {
  const headers = {};
  if (type) headers['content-type'] = type;
  if (token) headers.authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(url, { method, body, headers, credentials: 'omit', cache: 'no-store', redirect: 'error', referrerPolicy: 'no-referrer' });
  } catch {
    throw new Error(`the collector could not be reached; ${later}`);
  }
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** The token of a link or of the text that somebody pasted. */
export function tokenOf(text) {
  const token = text.trim().replace(/^.*#/, '');
  if (!/^[\w-]+\.[\w-]{43}$/.test(token)) throw new Error('this is no token; copy all of the one that you were given');
  return token;
}

/** What the collector says to a token: who it stands for, whether that person is asked now and what, and the plan. */
export async function invitation(token) {
  // The question first: a token that is none gets no further.
  const asked = await (await request(ownAddress('v1/question'), { token })).json().catch(() => null);
  const { person, round, plan } = asked ?? {};
  if (typeof person !== 'string' || !Number.isInteger(round) || typeof plan !== 'string') throw new Error('the answer is none of a collector');
  return { ...asked, text: await (await request(ownAddress('v1/plan'))).text() };
}
