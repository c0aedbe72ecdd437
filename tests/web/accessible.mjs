// What a screen reader, a keyboard and weak eyes need, checked on the page as it is now.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// What a screen reader is told: everything that takes the focus has a name, and the slider says what its value means.
async function announced(page) {
  const { nodes } = await page.call('Accessibility.getFullAXTree', {});
  const controls = nodes.filter(({ ignored, properties }) => !ignored && properties?.some(({ name, value }) => name === 'focusable' && value.value));
  const unnamed = controls.filter(({ name }) => !name?.value).map(({ role }) => role.value);
  assert.deepEqual(unnamed, []);
  assert.ok(controls.length >= 2, 'the page and its controls');
  const slider = nodes.find(({ role }) => role?.value === 'slider');
  if (slider) assert.match(await page.evaluate("document.getElementById('level').getAttribute('aria-valuetext')"), /^level \d+ of \d+: at most [\d.]+ of 100/);
}

/** Dark and light, on a desk and on a phone; writes pictures to look at where a folder is given. */
export async function checkPage(page, name, { texts = 20, pictures } = {}) {
  await announced(page);
  for (const [dark, width] of [[false, 1100], [true, 1100], [false, 360], [true, 360]]) {
    await page.look({ dark, width });
    assert.deepEqual(await page.evaluate(`(${problems})(${texts})`), [], `${name}, ${dark ? 'dark' : 'light'}, ${width} pixels`);
    if (!pictures) continue;
    mkdirSync(pictures, { recursive: true });
    writeFileSync(join(pictures, `${name}-${dark ? 'dark' : 'light'}-${width}.png`), await page.screenshot());
  }
  await page.look();
}

// Runs within the page and returns what is wrong. Contrast as in WCAG 2.2, 1.4.3.
function problems(leastTexts) {
  const found = [];
  const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const opaque = (color) => color !== 'transparent' && (channels(color)[3] ?? 1) === 1;
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (opaque(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const ratio = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const check = (what, color, element) => {
    const { fontSize, fontWeight } = getComputedStyle(element);
    const large = parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    const reached = ratio(color, behind(element));
    if (reached < (large ? 3 : 4.5)) found.push(`contrast ${reached.toFixed(2)} of ${what}`);
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('script, style, noscript') || !shown(element)) continue;
    texts++;
    check(`"${node.data.trim().slice(0, 30)}"`, getComputedStyle(element).color, element);
  }
  if (texts < leastTexts) found.push(`only ${texts} texts are shown`);

  for (const control of document.querySelectorAll('input, button, select, textarea, summary')) {
    if (!shown(control)) continue;
    const name = control.labels?.[0]?.textContent ?? control.textContent;
    if (!name.trim()) found.push(`#${control.id} has no label`);
    if (control.tabIndex !== 0) found.push(`#${control.id} is not in the order of the Tab key`);
    const { height, width } = control.getBoundingClientRect();
    const small = control.type === 'checkbox' ? 20 : 24;
    if (height < small || width < small) found.push(`#${control.id} is too small to touch`);
    for (const id of (control.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean)) {
      if (!document.getElementById(id)) found.push(`#${control.id} is described by nothing`);
    }
    if (control.type === 'text' || control.type === 'url') check(`#${control.id}`, getComputedStyle(control, '::placeholder').color, control);
  }
  for (const image of document.querySelectorAll('svg')) {
    const named = (image.getAttribute('aria-labelledby') ?? '').split(' ').some((id) => document.getElementById(id)?.textContent.trim());
    const hidden = image.closest('[aria-hidden=true]') !== null;
    if (shown(image) && hidden === (image.getAttribute('role') === 'img' && named)) found.push('a picture is neither named nor hidden');
  }
  for (const table of document.querySelectorAll('table')) {
    if (!table.getAttribute('aria-labelledby')) found.push('a table has no name');
    for (const cell of table.querySelectorAll('th')) if (!cell.scope) found.push('a heading of a table has no scope');
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) found.push('an id occurs twice');
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) found.push(`"${heading.textContent}" skips a level`);
    level = own;
  }
  if (!document.documentElement.lang || !document.title || !document.querySelector('main')) found.push('language, title or main part missing');
  if (document.querySelectorAll('[role=alert]').length < 3 || document.querySelectorAll('[role=status]').length < 2) found.push('nothing is announced');
  const wide = document.scrollingElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`the page is ${wide} pixels too wide`);
  return found;
}
