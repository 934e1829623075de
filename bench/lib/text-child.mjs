/** Reads one text log and prints time and memory as JSON. Arguments: `read` FILE, or `duckdb` FILE COMPRESSION. */

const [program, file, compression] = process.argv.slice(2);
const start = process.cpuUsage();
const started = performance.now();
const events = program === 'read' ? await read() : await scan();
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(start);
globalThis.gc?.();
console.log(
  JSON.stringify({
    events: events.count,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);

async function read() {
  const { readLog } = await import('../../dist/formats/table/read/read.js');
  // Returned whole, so that the log is alive when memory is read.
  const log = await readLog([file], {});
  return { count: log.events, log };
}

/** Every line as one column of text: the least that DuckDB can do with the bytes. */
async function scan() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const database = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await database.connect();
  const sql =
    `SELECT count(*) FROM read_csv('${file}', auto_detect = false, header = false, delim = E'\\x01', quote = '', escape = '', ` +
    `compression = '${compression}', parallel = false, max_line_size = 2097152, columns = {line: 'VARCHAR'}) WHERE line IS NOT NULL`;
  const reader = await connection.runAndReadAll(sql);
  const [[count]] = reader.getRows();
  connection.closeSync();
  return { count: Number(count) };
}
