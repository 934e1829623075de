/** Joins the parts that bench/gpu.sh left in a folder into one JSON. Arguments: the folder, the file to write. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from './machine.mjs';

const [folder, target] = process.argv.slice(2);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const json = (file) => {
  try {
    return JSON.parse(read(file));
  } catch {
    return null;
  }
};

/** What vitest's report comes to: counts, and the failures in full. */
function testSummary(report) {
  if (report === null) return null;
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [{ name, messages: [message] }];
    return failed.map(({ fullName, failureMessages }) => ({ name: fullName, messages: failureMessages }));
  });
  return { passed: report.numPassedTests, failed: report.numFailedTests, failures: failures.slice(0, 50) };
}

/** Name, exit status and seconds of each part, in order. */
const parts = read(join(folder, 'status'))
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [name, status, seconds] = line.split(' ');
    const failed = status !== '0';
    // The end of a failed part's output says why.
    const output = failed ? { output: read(join(folder, `${name}.log`)).slice(-4000) } : {};
    return {
      name,
      ok: !failed,
      status: Number(status),
      timedOut: status === '124',
      seconds: Number(seconds),
      ...output,
    };
  });
const latest = (name) => {
  const file = readdirSync(folder)
    .filter((one) => one.endsWith(`-${name}.json`))
    .sort()
    .at(-1);
  return file === undefined ? null : json(join(folder, file));
};

const result = {
  benchmark: 'gpu',
  version: 1,
  date: new Date().toISOString(),
  machine: { ...describeMachine(), gpu: read(join(folder, 'nvidia.log')).trim() || null },
  parts,
  adapter: json(join(folder, 'adapter.log')),
  parity: testSummary(json(join(folder, 'tests-parity.json'))),
  parityOfLearners: Object.fromEntries(
    ['few-lanes', 'many-lanes', 'hard-cases'].map((name) => [
      name,
      testSummary(json(join(folder, `tests-parity-${name}.json`))),
    ]),
  ),
  ladder: latest('ladder-quick') ?? latest('ladder-smoke'),
  learners: latest('learners-quick') ?? latest('learners-smoke'),
  table1: latest('table-1') ?? latest('table-1-smoke'),
  peers: latest('peers') ?? latest('peers-smoke'),
};
writeFileSync(target, `${JSON.stringify(result, null, 1)}\n`);
for (const { name, ok, timedOut, seconds } of parts) {
  console.log(`${name}: ${ok ? 'done' : timedOut ? 'out of time' : 'FAILED'} (${seconds} s)`);
}
for (const [name, summary] of Object.entries({ policies: result.parity, ...result.parityOfLearners })) {
  if (summary !== null) console.log(`parity, ${name}: ${summary.passed} passed, ${summary.failed} failed`);
}
