// One report, from plan to bytes: node example.mjs PLAN LEDGER REPORT COLUMN...
// The columns that are 1 come from the command line, in ascending order; the ledger and the report are files.
import { open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { load } from './ppgnn.js';

const [planFile, ledgerFile, reportFile, ...columns] = process.argv.slice(2);

// A ledger in a file: written beside it, flushed, put in its place at once, and the folder flushed too. One process at a time:
// the lock is a file that must not be there yet; one that was killed leaves it behind, to be removed by hand.
const synced = async (path, flags, write) => {
  const file = await open(path, flags, 0o600);
  try {
    await write?.(file);
    await file.sync();
  } finally {
    await file.close();
  }
};
const ledger = {
  load: () => readFile(ledgerFile).catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error))),
  async store(bytes) {
    await synced(`${ledgerFile}.part`, 'w', (file) => file.writeFile(bytes));
    await rename(`${ledgerFile}.part`, ledgerFile);
    await synced(dirname(ledgerFile), 'r');
  },
  async exclusive(action) {
    await (await open(`${ledgerFile}.lock`, 'wx', 0o600)).close();
    return action().finally(() => unlink(`${ledgerFile}.lock`));
  },
};

const device = (await load()).open(await readFile(planFile, 'utf8'));
const { largestSpend, needsPerson } = device.plan;
if (needsPerson) device.setPerson('ana');
device.agree({ report: largestSpend }); // an application asks the person
device.setRecipient('https://collector.example'); // whom it is for; the ledger hands it to nobody else
device.useLedger(ledger);
console.log(device.preview(1));
console.log(await device.ledgerWords(1));
const { bytes, fresh } = await device.report({ level: 1, features: { ones: columns.map(Number) } });
await writeFile(reportFile, bytes);
console.log(fresh ? `a report of ${bytes.length} bytes` : 'the report that was made before');
device.close();
