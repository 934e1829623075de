/**
 * `node bench/packed.mjs`: events per second and memory of loading one log as CSV, as Parquet with a mapping, and packed.
 *
 *   node bench/packed.mjs [--events N] [--csv-events N] [--repeat N] [--smoke] [--out DIR]
 *
 * The log has arm, payoff, set id, propensity, time and six f32 features. Each file is loaded by a process of its own, whose
 * memory is read; the packed log also batch by batch, 2¹⁶ events at a time. Converting may take 400 MB.
 */

import { loadingOptions, logQuery, MAPPING, reportLoading, timeStep, withFolder } from './lib/loading.mjs';
import { short } from './lib/measure.mjs';

const options = loadingOptions();
const { events, csvEvents, repeat } = options;
const mapping = { ...MAPPING, propensity: 'p', time: 'time' };
const query = (count) => logQuery(count, ['0.1::DOUBLE AS p', '1241136000000 + i * 137 AS time']);

const rows = [];
function measure(name, step, work) {
  const { residentBytes, columnBytes, ...row } = timeStep(step, mapping, { repeat, ...work });
  rows.push({ name, ...row });
  console.error(`${name}: ${short(row.eventsPerSecond)} events/s, peak ${short(row.peakBytes)}B`);
}

await withFolder(async (connection, pathOf) => {
  const csv = { count: csvEvents, input: pathOf('log.csv') };
  const parquet = { count: events, input: pathOf('log.parquet') };
  const packed = { count: events, input: pathOf('log.packed') };
  await connection.run(`COPY (${query(csvEvents)}) TO '${csv.input}' (FORMAT csv, HEADER)`);
  await connection.run(`COPY (${query(events)}) TO '${parquet.input}' (FORMAT parquet)`);
  measure('load CSV', 'load', csv);
  measure('load Parquet', 'load', parquet);
  measure('convert CSV', 'convert', { ...csv, repeat: 1, output: pathOf('csv.packed') });
  measure('convert Parquet', 'convert', { ...parquet, repeat: 1, output: packed.input });
  measure('load packed', 'load', packed);
  measure('stream packed', 'stream', packed);
});

reportLoading('packed', rows, {
  ...options,
  first: { head: 'step', field: 'name' },
  columns: ['events', 'file', 'events/s', 'seconds', 'fastest', 'CPU s', 'peak'],
});
