// Adds up vitest's JSON reports and prints 'N passed, N failed[, N skipped]'.
// A test file that could not run counts as one failure. Without a report nothing is printed.
import { existsSync, readFileSync } from 'node:fs';

const reports = process.argv.slice(2).filter((file) => existsSync(file));
const sum = { passed: 0, failed: 0, skipped: 0 };
for (const file of reports) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  // A run that found no test has tested nothing.
  if (report.numTotalTests === 0) process.exitCode = 1;
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  for (const { status, assertionResults } of report.testResults) {
    if (status === 'failed' && !assertionResults.some((one) => one.status === 'failed')) sum.failed++;
  }
}
if (reports.length > 0) {
  console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`);
}
if (sum.failed > 0) process.exitCode = 1;
