/**
 * `node bench/load.mjs`: events per second and memory of loading a log of six f32 features, arm, payoff and set id.
 *
 *   node bench/load.mjs [--events N] [--csv-events N] [--repeat N] [--smoke] [--out DIR]
 *
 * DuckDB writes the files to a temporary folder; each is then loaded by a process of its own, whose memory is read.
 */

import { createWriteStream, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as arrow from 'apache-arrow';
import { loadingOptions, logQuery, MAPPING, reportLoading, timeStep, withFolder } from './lib/loading.mjs';
import { short } from './lib/measure.mjs';

const options = loadingOptions();
const { events, csvEvents, repeat } = options;
const rows = [];
await withFolder(async (connection, pathOf) => {
  for (const [format, count, copy] of [
    ['parquet', events, 'FORMAT parquet'],
    ['arrow', events, null],
    ['csv', csvEvents, 'FORMAT csv, HEADER'],
    ['csv.gz', csvEvents, 'FORMAT csv, HEADER, COMPRESSION gzip'],
    ['csv.zst', csvEvents, 'FORMAT csv, HEADER, COMPRESSION zstd'],
    ['jsonl', csvEvents, 'FORMAT json'],
  ]) {
    const file = pathOf(`log.${format}`);
    if (copy === null) await writeArrow(connection, logQuery(count), file);
    else await connection.run(`COPY (${logQuery(count)}) TO '${file}' (${copy})`);
    const row = { format, ...timeStep('load', MAPPING, { count, repeat, input: file }) };
    rows.push(row);
    console.error(`${format}: ${short(row.eventsPerSecond)} events/s, ${short(row.residentBytes)}B resident`);
    rmSync(file);
  }
});

/** An Arrow IPC file in batches of 65,536 rows, as other writers make them. DuckDB cannot write one without an extension. */
async function writeArrow(connection, sql, file) {
  const names = ['arm', 'payoff', 'set_id', ...Array.from({ length: 6 }, (_, j) => `f${j}`)];
  const writer = new arrow.RecordBatchFileWriter();
  const sink = createWriteStream(file);
  const written = pipeline(Readable.from(writer), sink);
  const columns = names.map((name) => new (name.startsWith('f') ? Float32Array : Int32Array)(65536));
  let rows = 0;
  const flush = () => {
    const named = names.map((name, c) => [name, arrow.makeVector(columns[c].slice(0, rows))]);
    for (const one of new arrow.Table(Object.fromEntries(named)).batches) writer.write(one);
    rows = 0;
  };
  const result = await connection.stream(sql);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    if (rows + chunk.rowCount > 65536) flush();
    for (const [c, values] of chunk.getColumns().entries()) columns[c].set(values, rows);
    rows += chunk.rowCount;
  }
  flush();
  writer.finish();
  await written;
}

reportLoading('load', rows, {
  ...options,
  first: { head: 'format', field: 'format' },
  columns: ['events', 'file', 'events/s', 'seconds', 'CPU s', 'resident', 'peak', 'columns'],
});
