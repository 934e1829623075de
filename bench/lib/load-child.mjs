/** Loads, streams or converts one log and prints time and memory as JSON. Arguments: step, mapping as JSON, file, output. */

import { readLog } from '../../dist/formats/table/read/read.js';
import { convert } from '../../dist/open/convert.js';
import { openPacked } from '../../dist/packed/read.js';

const BATCH = 65536;

const [step, text, file, out] = process.argv.slice(2);
const mapping = file.endsWith('.packed') ? undefined : JSON.parse(text);
const started = performance.now();
const { events, log } = await { load, stream, convert: pack }[step]();
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const peakBytes = process.resourceUsage().maxRSS * 1024;
globalThis.gc?.();
// DuckDB gives memory back a moment after it was closed.
await new Promise((resolve) => setTimeout(resolve, 200));
console.log(
  JSON.stringify({
    events,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    peakBytes,
    columnBytes: log === undefined ? 0 : columnBytes(log),
  }),
);

async function load() {
  // Returned whole, so that the log is alive when memory is read.
  const log = await readLog([file], { mapping });
  return { events: log.events, log };
}

async function stream() {
  const opened = await openPacked(file);
  let events = 0;
  for (let from = 0; from < opened.events; from += BATCH)
    events += (await opened.read(from, Math.min(opened.events, from + BATCH))).events;
  await opened.close();
  return { events };
}

async function pack() {
  return await convert({ files: [file], mapping }, out, { memory: 4e8 });
}

function columnBytes({ arm, payoff, contexts, pools, propensity, time, sourceRow }) {
  const columns = [arm, payoff.steps, contexts.values, contexts.row, pools.pool, propensity, time, sourceRow];
  return columns.reduce((sum, column) => sum + (column?.byteLength ?? 0), 0);
}
