/**
 * CSV and JSON lines as targets of the fuzzer. The judge: a small parser of its own (`csv-reference.mjs`, `jsonl-reference.mjs`)
 * and the rules of README for what is an arm, a number, a key. Rows, values and counts must be the same; errors must be where
 * the judge finds a fault, and only there.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { InputError } from '../../dist/errors.js';
import { openDatabase } from '../../dist/files/duckdb.js';
import { readHead } from '../../dist/files/files.js';
import { FORMATS } from '../../dist/formats/index.js';
import { readsColumn } from '../../dist/formats/table/read/plan.js';
import { readSources } from '../../dist/formats/table/read/read-sources.js';
import { numberSql } from '../../dist/formats/table/read/values.js';
import { settled, tryInput } from './harness.mjs';
import { mutated } from './mutate.mjs';
import { mutatedText } from './mutate-text.mjs';

const MAPPING = { arm: 'arm', payoff: 'payoff', context: ['x'], keys: ['k'] };
const COLUMNS = ['arm', 'payoff', 'x', 'k'];

const folder = mkdtempSync(join(tmpdir(), 'hindcast-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

let database = null;
let number = 0;

/** One database for many inputs: what a reading makes in it goes before the next. */
async function oneDatabase() {
  if (database === null) {
    database = await openDatabase(folder);
    await database.run('SET threads = 1');
  }
  const made = [];
  return {
    ...database,
    async run(sql) {
      const name = /^CREATE (?:TEMP )?(TABLE|TYPE) (\w+)/.exec(sql);
      if (name !== null) made.push(`DROP ${name[1]} IF EXISTS ${name[2]}`);
      await database.run(sql);
    },
    async clear() {
      for (const sql of made.splice(0).reverse()) await database.run(sql);
    },
  };
}

const format = (name) => FORMATS.find((one) => one.name === name);

/** Opens a file whose bytes are known, as reading a log does. @param place of the file among those that are open at a time */
async function openText(bytes, name, place, skipBadRows, on) {
  const file = join(folder, `log-${place}.${name}`);
  writeFileSync(file, bytes);
  const reads = readsColumn(MAPPING, {});
  const head = await readHead(file);
  return format(name).open(file, { database: on, number: number++, head, skipBadRows, reads });
}

/** Removes what opening files wrote. */
function tidy(from) {
  for (let n = from; n < number; n++)
    for (const part of [`records-${n}`, `members-${n}-0`, `members-${n}-1`])
      rmSync(join(folder, part), { force: true });
}

async function readText(bytes, name, { skipBadRows = false }) {
  const shared = await oneDatabase();
  const from = number;
  try {
    const source = await openText(bytes, name, 'read', skipBadRows, shared);
    return await readSources(shared, [source], MAPPING, null, null, { mapping: MAPPING, skipBadRows }, null);
  } finally {
    await shared.clear();
    tidy(from);
  }
}

const NUMBER = /^[ \t-\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[ \t-\r]*$/i;

/** The number that a text is; null: none. */
function numberOf(text) {
  if (/^(?:true|false)$/i.test(text)) return text.length === 4 ? 1 : 0;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value + 0 : null;
}

/** A list in the first row makes x a column of lists, of which this judge knows rows only; test/formats/table/list-contexts.test.ts has the rest. */
function startsWithList(rows) {
  const first = rows.find(({ values }) => values !== undefined)?.values.get('x') ?? '';
  return /^\s*\[.*\S.*\]\s*$/s.test(first);
}

/** What must come of an input: `fault` of the file, or events and the number of rows that are none. */
export function wantedOf(reference, bytes) {
  const { fault, rows, names } = reference(bytes);
  if (fault !== undefined) return { fault };
  if (rows.length === 0) return { fault: 'no rows' };
  const absent = COLUMNS.find((name) => !names.has(name));
  if (absent !== undefined) return { fault: `no column ${absent}` };
  const events = [];
  for (const [row, { values }] of rows.entries()) {
    if (values === undefined) continue;
    const [arm, payoff, x, k] = COLUMNS.map((name) => values.get(name) ?? null);
    if (arm === null || payoff === null || x === null || k === null) continue;
    const numbers = [payoff, x].map(numberOf);
    if (!numbers.includes(null)) events.push({ row, arm, k, payoff: numbers[0], x: numbers[1] });
  }
  const isOfLists = startsWithList(rows);
  return { fault: null, rows: rows.length, events, bad: rows.length - events.length, isOfLists };
}

function check(log, wanted) {
  const fail = (message) => {
    throw new Error(message);
  };
  if (wanted.fault !== null) fail(`a log, and the judge says: ${wanted.fault}`);
  if (log.source.rows !== wanted.rows) fail(`${log.source.rows} rows, not ${wanted.rows}`);
  const dropped = log.source.badRows.reduce((sum, { count }) => sum + count, 0);
  if (wanted.isOfLists) {
    if (log.events + dropped !== wanted.rows) fail(`${log.events} events and ${dropped} bad rows, not ${wanted.rows}`);
    return;
  }
  if (dropped !== wanted.bad) fail(`${dropped} bad rows, not ${wanted.bad}: ${JSON.stringify(log.source.badRows)}`);
  if (log.events !== wanted.events.length) fail(`${log.events} events, not ${wanted.events.length}`);
  const { scale, steps } = log.payoff;
  const span = scale.span ?? scale.high - scale.low;
  const key = log.keys.get('k');
  for (const [t, event] of wanted.events.entries()) {
    const found = {
      row: log.sourceRow?.[t] ?? t,
      arm: log.arms.ids[log.arm[t]],
      k: key.levels[key.code[t]],
      payoff: scale.rounded
        ? (scale.base ?? scale.low) + steps[t] * 2 ** -32 * span
        : ((scale.origin + steps[t]) * scale.numerator) / scale.denominator + 0,
      x: log.contexts.values[log.contexts.row?.[t] ?? t] + 0,
    };
    for (const name of Object.keys(event)) {
      const same =
        name === 'payoff'
          ? Math.abs(found.payoff - event.payoff) <=
            (scale.rounded ? span * 2 ** -32 : 0) + 1e-15 * Math.abs(event.payoff)
          : found[name] === event[name];
      if (!same) fail(`event ${t}: ${name} is ${JSON.stringify(found[name])}, not ${JSON.stringify(event[name])}`);
    }
  }
}

/** Which rows a file is cut into, which of them are none, and what the values of the others are as DuckDB reads them. */
async function checkTable(reference, name, list) {
  const shared = await oneDatabase();
  const from = number;
  const results = [];
  const queries = [];
  for (const [i, bytes] of list.entries()) {
    const { fault, rows = [], names } = reference(bytes);
    const bad = rows.flatMap(({ values }, row) => (values === undefined ? [row] : []));
    results[i] = { logs: 0, errors: 1, events: 0 };
    try {
      if (bad.length > 0) await mustFail(openText(bytes, name, i, false, shared), bad[0], fault);
      const opening = openText(bytes, name, i, true, shared);
      if (fault !== undefined) {
        await mustFail(opening, null, fault);
        continue;
      }
      const source = await opening;
      const rejected = (await source.rejects()).map(({ row }) => row);
      same('rejected rows', rejected, bad);
      same('records', source.records, rows.length);
      // Fields within members are columns too; the judge has members only.
      const known = source.columns.filter(({ isNested }) => !isNested).map((column) => column.name);
      same('names', known.filter((one) => one !== '').sort(), [...names].filter((one) => one !== '').sort());
      if (bad.length === rows.length || !COLUMNS.every((one) => names.has(one))) continue;
      const columns = COLUMNS.map((one) => source.columns.find((column) => column.name === one));
      const [arm, payoff, x, k] = columns;
      const select = [`hex(${arm.sql})`, numberSql(source, payoff), numberSql(source, x), `hex(${k.sql})`];
      queries.push({ i, sql: `SELECT ${i}, ${select.join(', ')} FROM ${source.relation}`, rows });
      results[i] = { logs: 1, errors: 0, events: rows.length - bad.length };
    } catch (error) {
      results[i] = error;
    }
  }
  await compareTables(shared, queries, results);
  tidy(from);
  return results;
}

async function compareTables(on, queries, results) {
  if (queries.length === 0) return;
  let found;
  try {
    found = await on.rows(queries.map(({ sql }) => sql).join(' UNION ALL '));
  } catch (error) {
    if (queries.length === 1) results[queries[0].i] = new Error(`DuckDB: ${error.message}`);
    else for (const query of queries) await compareTables(on, [query], results);
    return;
  }
  const text = (hex) => (hex === null ? null : Buffer.from(hex, 'hex').toString());
  const number = (value) => (Number.isFinite(value) ? value + 0 : null);
  for (const { i, rows } of queries) {
    const table = found.filter((row) => row[0] === i).map(([, a, p, x, k]) => [text(a), number(p), number(x), text(k)]);
    const wanted = rows.flatMap(({ values }) => {
      if (values === undefined) return [];
      const [arm, payoff, x, k] = COLUMNS.map((name) => values.get(name) ?? null);
      return [[arm, ...[payoff, x].map((text) => (text === null ? null : numberOf(text))), k]];
    });
    try {
      same('values', table, wanted);
    } catch (error) {
      results[i] = error;
    }
  }
}

function same(what, found, wanted) {
  if (!isDeepStrictEqual(found, wanted))
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** @param row that the error must name; `null`: any, or none */
async function mustFail(opening, row, fault) {
  const error = await opening.then(
    () => null,
    (one) => one,
  );
  if (error === null) throw new Error(`no error, and the judge says: ${fault ?? `row ${row} is none`}`);
  if (!(error instanceof InputError)) throw new Error(`not an InputError: ${error.stack}`);
  if (fault === undefined && error.fault.row !== row)
    throw new Error(`an error at row ${error.fault.row}, not ${row}: ${error.message}`);
}

/** One input in so many is read as a log, with all that this takes. */
const WHOLE = 50;

export function textTarget({ name, reference: parse, seeds, separators }) {
  const reference = (bytes) => parse(bytes, COLUMNS);
  const texts = seeds.map((seed) => Buffer.from(seed));
  const set = new Set(Buffer.from(separators));
  return {
    name,
    seeds: texts,
    separators,
    testInputs: 1000,
    batch: 50,
    async tryBatch(list, at) {
      const results = await checkTable(reference, name, list);
      const i = list.findIndex((_, j) => (at + j) % WHOLE === 0);
      if (i >= 0 && !(results[i] instanceof Error)) results[i] = await settled(tryInput(this, list[i]));
      return results;
    },
    mutate: (random) =>
      random.input % 20_000 === 19_999 || random.once(2)
        ? mutated(texts, random, set)
        : mutatedText(texts, random, set, name),
    // Both are the same where nothing is wrong.
    variants: (bytes) => {
      const { fault, bad } = wantedOf(reference, bytes);
      return fault === null && bad === 0 ? [{}] : [{ skipBadRows: true }, {}];
    },
    read: (bytes, options) => readText(bytes, name, options),
    check: (log, bytes) => check(log, wantedOf(reference, bytes)),
    checkError(error, bytes, { skipBadRows = false }) {
      const { fault, bad, events, isOfLists } = wantedOf(reference, bytes);
      if (fault !== null || isOfLists || (!skipBadRows && bad > 0)) return;
      if (events.length === 0 || /line is too long/.test(error.message)) return;
      // Of 2³² steps between them none is a number with all of its digits.
      const payoffs = events.map(({ payoff }) => payoff);
      const span = Math.max(...payoffs) - Math.min(...payoffs);
      if (span > 0 && span < 2 ** -990 && /payoffs lie too close together/.test(error.message)) return;
      throw new Error(`refused, and the judge finds ${bad} bad rows: ${error.message}`);
    },
    // Faults of a file as a whole have no line.
    mayLackLine: () => true,
  };
}
