/**
 * A filter over the events of a packed log. What the log keeps says no longer how it was written: 30 or 30.0, a number or text of
 * digits, f32 or f64. The filter is tried on each of these, and where they would not choose the same events it is refused.
 */

import { InputError } from '../../errors.js';
import { type Database, DatabaseFailure, duckdbMessage, sqlName } from '../../files/duckdb.js';
import type { EventLog } from '../../log/event-log.js';
import type { ColumnUse } from '../../log/inputs.js';
import { listNames } from '../../names/order.js';
import type { SourceColumn, SourceFile } from '../format.js';
import { ROW_NAME } from '../table/read/filter-nodes.js';
import { MOST_BATCH_ROWS } from '../table/read/second-pass.js';
import { bindFilter, type Filter, filterError, narrowestType, naturalColumns, typeTests } from '../table/read/where.js';
import { type FilterColumn, filterColumns } from './filter-columns.js';

/** What a column may have been. */
interface Typed {
  /** DuckDB's type. */
  readonly type: string;
  /** Whether a value can have been of it; absent: every one. */
  readonly holds?: (value: number) => boolean;
}

/** What all columns may have been. */
interface Typing {
  readonly source: SourceFile;
  readonly types: ReadonlyMap<string, string>;
  readonly chosen: readonly Typed[];
  /** Of its columns, all values so far can have been of their types. */
  isPossible: boolean;
  /** The first event that it chooses otherwise. */
  differs: number | null;
}

const DAY = 86_400_000;
const NUMBER: readonly Typed[] = [
  { type: 'DOUBLE' },
  { type: 'BIGINT', holds: Number.isSafeInteger },
  { type: 'FLOAT', holds: (x) => Math.fround(x) === x },
];
const TIME: readonly Typed[] = [
  { type: 'TIMESTAMPTZ' },
  { type: 'TIMESTAMP' },
  { type: 'DATE', holds: (ms) => ms % DAY === 0 },
];
/** Ways to type all columns that are tried until one fits the filter. */
const MOST_WAYS = 1000;
const EVENTS = 'events';
const INDEX = '__hindcast_event';

export class EventFilter {
  private seen = 0;

  private constructor(
    private readonly database: Database,
    private readonly filter: Filter,
    private readonly columns: readonly FilterColumn[],
    private readonly typings: readonly Typing[],
  ) {}

  /** @throws InputError where the filter does not fit the columns of the log. */
  static async open(database: Database, filter: Filter, head: EventLog, file: string): Promise<EventFilter> {
    const all = filterColumns(head);
    const needs = namesOf(all, filter);
    if (filter.anyColumn) throw filterError(filter.sql, 'it looks at columns that it does not name', file, needs);
    const columns = all.filter(({ name }) => filter.names.has(name.toLowerCase()));
    const lost = columns.find((column) => column.lost !== undefined);
    if (lost !== undefined) {
      const hint = 'give the filter when the original log is converted';
      throw filterError(filter.sql, `column ${JSON.stringify(lost.name)}: ${lost.lost}`, file, hint);
    }
    const ways: (readonly Typed[])[] = [];
    for (const [c, column] of columns.entries()) ways.push(await waysOf(database, column, c));
    const fields = columns.map(({ levels }, c) => `c${c} ${levels === undefined ? 'DOUBLE' : 'UINTEGER'}`);
    await database.run(`CREATE TABLE ${EVENTS} (${['i UINTEGER', ...fields].join(', ')})`);
    await database.lock([]);
    const fits = async (chosen: readonly Typed[]): Promise<Typing | InputError> => {
      const typing = typingOf(file, columns, chosen);
      try {
        await bindFilter(database, { ...typing.source, relation: levelsOf(columns) }, typing.types, filter);
        return typing;
      } catch (error) {
        if (error instanceof InputError) return error;
        throw error;
      }
    };
    const first = await firstFit(ways, fits);
    if (first instanceof InputError) throw /not found/.test(first.message) ? withHint(first, needs) : first;
    const typings = [first];
    // One column at a time.
    for (const [c, some] of ways.entries()) {
      for (const typed of some) {
        const other = await fits(first.chosen.map((one, k) => (k === c ? typed : one)));
        if (typed !== first.chosen[c] && !(other instanceof InputError)) typings.push(other);
      }
    }
    return new EventFilter(database, filter, columns, typings);
  }

  /** Columns of the original log that it looks at: by their names, by that of a level, or by the role they have. */
  looksAt({ name, roles }: Pick<ColumnUse, 'name' | 'roles'>): boolean {
    const own = name.toLowerCase();
    return [...this.filter.names].some(
      (used) => used === own || used.startsWith(`${own}=`) || roles.some((role) => role === used),
    );
  }

  /** Which events of the next batch it lets through: 1 for each. */
  async choose(log: EventLog): Promise<Uint8Array> {
    const values = this.columns.map((column) => column.values(log));
    await this.fill(values, log.events);
    const [first, ...others] = this.typings;
    const odd = this.oddColumn(first, values, log.events);
    if (odd !== null)
      throw filterError(this.filter.sql, `column ${odd} has numbers that are not whole`, first.source.file);
    const chosen = await this.evaluate(first, log.events);
    for (const typing of others) {
      typing.isPossible &&= this.oddColumn(typing, values, log.events) === null;
      if (!typing.isPossible || typing.differs !== null) continue;
      try {
        const at = (await this.evaluate(typing, log.events)).findIndex((bit, i) => bit !== chosen[i]);
        if (at >= 0) typing.differs = this.seen + at;
      } catch (error) {
        // It would have failed on the original.
        if (!(error instanceof InputError)) throw error;
        typing.isPossible = false;
      }
    }
    this.seen += log.events;
    return chosen;
  }

  /** @throws InputError where what columns were makes a difference. */
  finish(): void {
    const [first, ...others] = this.typings;
    const other = others.find(({ isPossible, differs }) => isPossible && differs !== null);
    if (other === undefined) return;
    const c = other.chosen.findIndex((typed, k) => typed !== first.chosen[k]);
    const name = sqlName(this.columns[c].name);
    const [one, two] = [first.chosen[c].type, other.chosen[c].type];
    throw filterError(
      this.filter.sql,
      `what it says of event ${other.differs} depends on whether ${name} was ${one} or ${two}, which a packed log does not keep`,
      first.source.file,
      `say which is meant, as CAST(${name} AS ${one}), or give the filter when the original log is converted`,
    );
  }

  /** A column that has a value which cannot have been of its type; `null`: none. */
  private oddColumn({ chosen }: Typing, values: readonly ((i: number) => number)[], events: number): string | null {
    for (const [c, { holds }] of chosen.entries()) {
      if (holds === undefined) continue;
      for (let i = 0; i < events; i++) if (!holds(values[c](i))) return JSON.stringify(this.columns[c].name);
    }
    return null;
  }

  private async fill(values: readonly ((i: number) => number)[], events: number): Promise<void> {
    await this.database.run(`TRUNCATE ${EVENTS}`);
    const writer = await this.database.writer(EVENTS);
    for (let from = 0; from < events; from += MOST_BATCH_ROWS) {
      const rows = Math.min(MOST_BATCH_ROWS, events - from);
      writer.append(rows, (column, { items }) => {
        if (items === null) throw new RangeError('a column of the filter takes no numbers');
        const value = column === 0 ? (i: number) => i : values[column - 1];
        for (let k = 0; k < rows; k++) items[k] = value(from + k);
      });
    }
    writer.close();
  }

  private async evaluate({ source, types }: Typing, events: number): Promise<Uint8Array> {
    const { database, filter } = this;
    const chosen = new Uint8Array(events);
    const columns = [`i AS ${INDEX}`, ...naturalColumns(source, types, filter)].join(', ');
    try {
      await database.stream(
        `SELECT ${INDEX} FROM (SELECT ${columns} FROM ${source.relation}) AS ${ROW_NAME} WHERE (${filter.sql}\n)`,
        (batch) => {
          const { items } = batch.items(0);
          for (let k = 0; k < batch.rows; k++) chosen[items[k]] = 1;
          return true;
        },
      );
    } catch (error) {
      if (error instanceof DatabaseFailure) throw filterError(filter.sql, duckdbMessage(error), source.file);
      throw error;
    }
    return chosen;
  }
}

/** What a column may have been; of texts, what they all are is tried first. */
async function waysOf(database: Database, { levels, isTime }: FilterColumn, c: number): Promise<readonly Typed[]> {
  if (levels === undefined) return isTime === true ? TIME : NUMBER;
  await database.run(`CREATE TABLE l${c} (code UINTEGER, value VARCHAR)`);
  const writer = await database.writer(`l${c}`);
  for (let from = 0; from < levels.length; from += MOST_BATCH_ROWS) {
    const some = levels.slice(from, from + MOST_BATCH_ROWS);
    writer.append(some.length, (column, cells) => {
      for (const [k, level] of some.entries()) cells.set(k, column === 0 ? from + k : level);
    });
  }
  writer.close();
  const source = typingOf('', [], []).source;
  const tests = typeTests(source, { name: '', type: 'TEXT', sql: 'value' });
  const narrow = narrowestType([(await database.rows(`SELECT ${tests.join(', ')} FROM l${c}`))[0]]);
  return [...new Set([narrow, ...(narrow === 'BIGINT' ? ['DOUBLE'] : []), 'VARCHAR'])].map((type) => ({ type }));
}

/** The first types of all columns that fit the filter, else what is wrong with the first of all. */
async function firstFit(
  ways: readonly (readonly Typed[])[],
  fits: (chosen: readonly Typed[]) => Promise<Typing | InputError>,
): Promise<Typing | InputError> {
  let fault: InputError | null = null;
  const count = Math.min(
    MOST_WAYS,
    ways.reduce((product, { length }) => product * length, 1),
  );
  for (let way = 0; way < count; way++) {
    let rest = way;
    const chosen = ways.map((some) => {
      const typed = some[rest % some.length];
      rest = Math.floor(rest / some.length);
      return typed;
    });
    const found = await fits(chosen);
    if (!(found instanceof InputError)) return found;
    fault ??= found;
  }
  return fault ?? fits([]);
}

/** The events as a file that has these columns. */
function typingOf(file: string, columns: readonly FilterColumn[], chosen: readonly Typed[]): Typing {
  const texts = columns.flatMap(({ levels }, c) => (levels === undefined ? [] : [c]));
  const joins = texts.map((c) => ` LEFT JOIN l${c} ON l${c}.code = e.c${c}`).join('');
  const values = columns.map(({ levels }, c) => `, ${levels === undefined ? `e.c${c}` : `l${c}.value`} AS v${c}`);
  const source: SourceFile = {
    file,
    format: 'packed',
    columns: columns.map((column, c) => sourceColumn(column, chosen[c].type, `v${c}`)),
    relation: `(SELECT e.i${values.join('')} FROM ${EVENTS} AS e${joins})`,
    rowNumber: 'i',
    rejects: async () => [],
    line: async () => null,
    failure: async (error) => new InputError({ file, problem: duckdbMessage(error) }),
  };
  const types = new Map(texts.map((c) => [columns[c].name, chosen[c].type]));
  return { source, types, chosen, isPossible: true, differs: null };
}

function sourceColumn({ name, levels, isTime }: FilterColumn, type: string, value: string): SourceColumn {
  if (levels !== undefined) return { name, type: 'TEXT', sql: value };
  const microseconds = `CAST(round(${value} * 1000) AS BIGINT)`;
  const timestamp = type === 'TIMESTAMPTZ' ? `make_timestamptz(${microseconds})` : `make_timestamp(${microseconds})`;
  return { name, type, sql: `CAST(${isTime === true ? timestamp : value} AS ${type})` };
}

/** What a filter may name, first the one-hot columns of what it names in vain. */
function namesOf(columns: readonly FilterColumn[], { written }: Filter): string {
  const names = columns.map(({ name }) => name);
  const isLevel = (name: string): boolean => [...written].some((one) => name.startsWith(`${one}=`));
  const levels = names.filter(isLevel);
  const all = listNames([...levels, ...names.filter((name) => !isLevel(name))]);
  return `the packed log has ${all}${levels.length > 0 ? `; a level of a one-hot column is a column: ${sqlName(levels[0])} = 1` : ''}`;
}

/** All levels, without events. */
function levelsOf(columns: readonly FilterColumn[]): string {
  const values = columns.map(({ levels }, c) => `${levels === undefined ? 'NULL::DOUBLE' : `l${c}.value`} AS v${c}`);
  const tables = columns.flatMap(({ levels }, c) => (levels === undefined ? [] : [`l${c}`]));
  return `(SELECT ${values.join(', ') || '1'} FROM ${tables.join(' POSITIONAL JOIN ') || '(SELECT 1)'})`;
}

function withHint(error: InputError, hint: string): InputError {
  return new InputError({ ...error.fault, got: error.fault.got?.replace(/\s*Candidate bindings:.*/s, ''), hint });
}
