/** Loads one log and prints time and memory as JSON. Arguments: file, mapping as JSON. */

import { readLog } from '../../dist/log/read.js';

const [file, mapping] = process.argv.slice(2);
const started = performance.now();
const log = await readLog([file], { mapping: JSON.parse(mapping) });
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
globalThis.gc?.();
// DuckDB gives memory back a moment after it was closed.
await new Promise((resolve) => setTimeout(resolve, 200));

const columns = [
  log.arm,
  log.payoff.steps,
  log.contexts.values,
  log.contexts.row,
  log.pools.pool,
  log.propensity,
  log.time,
  log.sourceRow,
];
console.log(
  JSON.stringify({
    events: log.events,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    peakBytes: process.resourceUsage().maxRSS * 1024,
    columnBytes: columns.reduce((sum, column) => sum + (column?.byteLength ?? 0), 0),
  }),
);
