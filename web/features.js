// A person's own file as features, read on the device. Errors say what is wrong with the form, never what a value is.

const refuse = (why) => new Error(`features: ${why}`);

function numberOf(text) {
  const value = typeof text === 'boolean' ? Number(text) : typeof text === 'string' && text.trim() !== '' ? Number(text) : text;
  if (typeof value !== 'number' || Number.isNaN(value)) throw refuse('every value must be a number');
  return value;
}

// [column name or number, value] pairs to columns in order.
function sparse(pairs, columnOf) {
  const found = new Map();
  for (const [name, value] of pairs) {
    const column = columnOf(String(name).trim());
    if (column === undefined) throw refuse('a column is none of the plan\'s');
    if (found.has(column)) throw refuse('a column occurs twice');
    found.set(column, numberOf(value));
  }
  const columns = [...found.keys()].sort((a, b) => a - b);
  return { columns, values: columns.map((column) => found.get(column)) };
}

/** Fields of CSV text, line by line; quotes as in RFC 4180. */
export function csvLines(text) {
  const lines = [[]];
  let field = '', quoted = false, any = false;
  const endField = () => { lines.at(-1).push(field); field = ''; };
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (quoted) {
      if (sign !== '"') field += sign;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === ',' || sign === ';') endField();
    else if (sign === '\n') { endField(); lines.push([]); any = false; continue; }
    else if (sign !== '\r') field += sign;
    any = true;
  }
  if (any) endField();
  return lines.filter((line) => line.some((one) => one.trim() !== ''));
}

function ofCsv(text, columnOf) {
  const lines = csvLines(text);
  if (lines.length === 0) throw refuse('the file is empty');
  const isNumber = (one) => one.trim() !== '' && !Number.isNaN(Number(one));
  const head = lines[0].map((one) => one.trim().toLowerCase());
  if (head.length === 2 && head[0] === 'column' && head[1] === 'value') return sparse(lines.slice(1), columnOf);
  if (lines.length === 2 && !lines[0].every(isNumber)) {
    if (lines[0].length !== lines[1].length) throw refuse('the two lines must be equally long');
    return sparse(lines[0].map((name, i) => [name, lines[1][i]]).filter(([, value]) => value.trim() !== ''), columnOf);
  }
  if (lines.length === 1) return { dense: lines[0].map(numberOf) };
  throw refuse('a CSV file has lines "column,value", or one line of names and one of values, or one line of values');
}

function ofJson(text, columnOf) {
  let read;
  try {
    read = JSON.parse(text);
  } catch {
    throw refuse('the file is no JSON');
  }
  if (Array.isArray(read)) return { dense: read.map(numberOf) };
  if (read === null || typeof read !== 'object') throw refuse('JSON must be a list of values or an object');
  if (Array.isArray(read.ones)) return { ones: sparse(read.ones.map((name) => [name, 1]), columnOf).columns };
  if (Array.isArray(read.columns) && Array.isArray(read.values)) {
    if (read.columns.length !== read.values.length) throw refuse('one value a column');
    return sparse(read.columns.map((name, i) => [name, read.values[i]]), columnOf);
  }
  return sparse(Object.entries(read), columnOf);
}

/** Features of a JSON or CSV file; columns by name or by number, counted from 0. */
export function readFeatures(text, device) {
  const { columns: count } = device.plan;
  let names;
  const columnOf = (name) => {
    if (/^\d+$/.test(name)) return Number(name) < count ? Number(name) : undefined;
    names ??= new Map(Array.from({ length: count }, (_, i) => [device.column(i), i]));
    return names.get(name);
  };
  const trimmed = text.replace(/^\uFEFF/, '');
  const features = /^\s*[[{]/.test(trimmed) ? ofJson(trimmed, columnOf) : ofCsv(trimmed, columnOf);
  if (features.dense && features.dense.length > count) throw refuse(`there are more than the plan's ${count} columns`);
  return features;
}
