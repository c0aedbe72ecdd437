// Headless Chromium, driven over a pipe: the DevTools protocol, as much as the tests need, and no package.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEYS = {
  Tab: ['Tab', 9, ''], Enter: ['Enter', 13, '\r'], Space: [' ', 32, ' '], ArrowRight: ['ArrowRight', 39, ''],
  ArrowLeft: ['ArrowLeft', 37, ''], End: ['End', 35, ''],
};

export async function startBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'ppgnn-browser-'));
  const child = spawn(process.env.CHROMIUM ?? 'chromium', ['--headless=new', '--remote-debugging-pipe', '--no-sandbox',
    '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--force-color-profile=srgb', '--hide-scrollbars', `--user-data-dir=${profile}`, 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map();
  const listeners = new Set();
  let last = 0;
  let rest = '';
  child.stdio[4].on('data', (chunk) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else {
        const [resolve, reject] = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      }
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++last, [resolve, reject]);
    child.stdio[3].write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  const ended = new Promise((resolve) => { child.once('exit', resolve); });
  ended.then(() => { for (const [, reject] of waiting.values()) reject(new Error('the browser ended')); });
  return {
    send,
    listeners,
    newPage: () => newPage(send, listeners, {}),
    // Of somebody else: nothing is shared with other pages.
    newPerson: async () => newPage(send, listeners, await send('Target.createBrowserContext')),
    async close() {
      await send('Browser.close').catch(() => {});
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function newPage(send, listeners, { browserContextId }) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const requests = [];
  const complaints = [];
  listeners.add(({ method, params, sessionId: from }) => {
    if (from !== sessionId) return;
    if (method === 'Network.requestWillBeSent') requests.push({ url: params.request.url, method: params.request.method });
    if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.exception?.description ?? 'exception');
    if (method === 'Log.entryAdded' && params.entry.level === 'error') complaints.push(params.entry.text);
  });
  for (const domain of ['Page', 'Runtime', 'Network', 'DOM', 'Log', 'Accessibility']) await call(`${domain}.enable`);
  const event = (name) => new Promise((resolve) => {
    const listener = ({ method, params, sessionId: from }) => {
      if (from !== sessionId || method !== name) return;
      listeners.delete(listener);
      resolve(params);
    };
    listeners.add(listener);
  });

  const page = {
    call, requests, complaints,
    async open(url) {
      const loaded = event('Page.loadEventFired');
      await call('Page.navigate', { url });
      await loaded;
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async until(expression) {
      for (let i = 0; i < 200; i++) {
        if (await page.evaluate(expression)) return;
        await new Promise((resolve) => { setTimeout(resolve, 25); });
      }
      throw new Error(`never true: ${expression}; complaints: ${complaints.join(' | ')}`);
    },
    text: (id) => page.evaluate(`document.getElementById('${id}').textContent.trim()`),
    async press(name, times = 1) {
      const [key, windowsVirtualKeyCode, text] = KEYS[name];
      for (let i = 0; i < times; i++) {
        const code = name === 'Space' ? 'Space' : key;
        await call('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, code, windowsVirtualKeyCode, text: text || undefined });
        await call('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode });
      }
    },
    type: (text) => call('Input.insertText', { text }),
    focused: () => page.evaluate('document.activeElement.id'),
    // Goes to a control as somebody without a mouse does.
    async tabTo(id) {
      for (let i = 0; i < 40; i++) {
        if (await page.focused() === id) return;
        await page.press('Tab');
      }
      throw new Error(`${id} cannot be reached by the Tab key`);
    },
    // Presses a file control and picks a file in the dialog.
    async pick(id, path) {
      await page.tabTo(id);
      await call('Page.setInterceptFileChooserDialog', { enabled: true });
      const opened = event('Page.fileChooserOpened');
      await page.press('Enter');
      const { backendNodeId } = await opened;
      await call('DOM.setFileInputFiles', { files: [path], backendNodeId });
    },
    async look({ dark = false, width = 1100, height = 1400 } = {}) {
      await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    },
    async screenshot() {
      const { data } = await call('Page.captureScreenshot', { captureBeyondViewport: true, format: 'png' });
      return Buffer.from(data, 'base64');
    },
  };
  return page;
}
