// Adds up vitest's JSON reports and prints 'N passed, N failed[, N skipped]'. A test is skipped where no report has it run:
// what one run leaves to another is not. A test file that could not run counts as one failure. Without a report nothing is printed.
import { existsSync, readFileSync } from 'node:fs';

const reports = process.argv.slice(2).filter((file) => existsSync(file));
const sum = { passed: 0, failed: 0 };
const [ran, left] = [new Set(), new Set()];
for (const file of reports) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  // A run that found no test has tested nothing.
  if (report.numPassedTests + report.numFailedTests === 0) process.exitCode = 1;
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests;
  for (const { name, status, assertionResults } of report.testResults) {
    if (status === 'failed' && !assertionResults.some((one) => one.status === 'failed')) sum.failed++;
    for (const one of assertionResults) {
      // Checkouts lie in different folders.
      const test = `${name.replace(/.*\/test\//, '')} ${one.fullName}`;
      (one.status === 'passed' || one.status === 'failed' ? ran : left).add(test);
    }
  }
}
const skipped = [...left].filter((test) => !ran.has(test)).length;
if (reports.length > 0) {
  console.log(`${sum.passed} passed, ${sum.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
if (sum.failed > 0) process.exitCode = 1;
