// One report, from plan to bytes: node example.mjs PLAN LEDGER REPORT COLUMN...
// The columns that are 1 come from the command line, in ascending order; the ledger and the report are files.
import { open, readFile, rename, writeFile } from 'node:fs/promises';

import { load } from './ppgnn.js';

const [planFile, ledgerFile, reportFile, ...columns] = process.argv.slice(2);

// A ledger in a file: written beside it, flushed, and put in its place at once.
const ledger = {
  load: () => readFile(ledgerFile).catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error))),
  async store(bytes) {
    const file = await open(`${ledgerFile}.part`, 'w', 0o600);
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    await rename(`${ledgerFile}.part`, ledgerFile);
  },
};

const device = (await load()).open(await readFile(planFile, 'utf8'));
const { largestSpend, needsPerson } = device.plan;
if (needsPerson) device.setPerson('ana');
device.agree({ report: largestSpend }); // an application asks the person
device.useLedger(ledger);
console.log(device.preview(1));
console.log(await device.ledgerWords(1));
const { bytes, fresh } = await device.report({ level: 1, features: { ones: columns.map(Number) } });
await writeFile(reportFile, bytes);
console.log(fresh ? `a report of ${bytes.length} bytes` : 'the report that was made before');
device.close();
