// A report's bytes, field by field, for people to look at.
import { toHex } from './ppgnn.js';

/** What the fields of a report are called, and mean. */
export const FIELDS = {
  0: ['Version', 'of the format'], 1: ['Plan', 'hash of the plan: the same for everybody'], 2: ['Round', 'the same for everybody'],
  3: ['Level', 'your level, or one that chance may have put in its place'],
  4: ['Answers', 'columns picked by chance, each with a yes or no that chance may have turned'],
  5: ['Class', 'a class that chance may have replaced'],
  6: ['Numbers', 'numbers that stand for your features or come from chance'],
  7: ['Numbers', 'numbers that stand for your features or come from chance'],
  8: ['Answer', 'hash of the question, then an answer that chance may have replaced'],
};

/** The fields of a report: deterministic CBOR, a map from small numbers to integers and byte strings. */
export function fieldsOf(bytes) {
  const fields = [];
  let next = 1;
  const head = () => {
    const first = bytes[next++];
    const more = first & 31;
    const width = more < 24 ? 0 : 1 << (more - 24);
    let value = more < 24 ? more : 0;
    for (let i = 0; i < width; i++) value = value * 256 + bytes[next++];
    return [first >> 5, value];
  };
  for (let left = bytes[0] & 31; left > 0; left--) {
    const [, key] = head();
    const from = next;
    const [major, value] = head();
    const content = major === 2 ? bytes.slice(next, next + value) : bytes.slice(from, next);
    if (major === 2) next += value;
    fields.push([key, toHex(content).replace(/(.{8})(?=.)/g, '$1 ')]);
  }
  return fields;
}
