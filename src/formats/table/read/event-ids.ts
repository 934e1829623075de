/** Events whose id was there before, in files under a mapping. */

import { InputError } from '../../../errors.js';
import { type Batch, type Database, isValid } from '../../../files/duckdb.js';
import { GrowingU32 } from '../../../log/build/growing.js';
import { SeenIds } from '../../../log/build/seen-ids.js';
import { RepeatedIds } from '../../../log/checks/repeated-ids.js';
import type { SourceFile } from '../../format.js';
import { checkFloats, usedColumns } from './dictionary.js';
import type { BadKind, Marks } from './marks.js';
import type { Plan } from './plan.js';
import type { ColumnTask } from './tasks.js';
import { findColumn, textSql } from './values.js';

/** Hashes of 64 bits, by their halves. */
export interface Hashes {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

const HINT = 'nothing where it is a retry or a copy; an event of its own needs an id of its own';

/** Share of the database's memory that ids may take. */
const SHARE = 0.5;

/**
 * The ids that more than one row has: the database finds them, in the memory that it may take and on disk. Those of them are held.
 *
 * @param memory bytes that the database may hold; absent: no bound.
 * @throws InputError where they are too many for it, or floats too large to tell apart.
 */
export async function repeatedIds(
  database: Database,
  sources: readonly SourceFile[],
  column: string,
  memory?: number,
): Promise<Hashes> {
  const files = sources.map((source) => {
    const id = idSql(source, column);
    return `SELECT hash(${id}) AS h FROM ${source.checkedRelation ?? source.relation} WHERE ${id} IS NOT NULL`;
  });
  for (const source of sources) {
    const values = `SELECT ${idSql(source, column)} AS v FROM ${source.relation}`;
    await checkFloats(database, source, findColumn(source, column, 'eventId'), values);
  }
  const [high, low] = [new GrowingU32(), new GrowingU32()];
  const fits = (): boolean => 8 * high.length + SeenIds.bytes(high.length) <= most;
  const most = memory === undefined ? Number.POSITIVE_INFINITY : memory * SHARE;
  await database.stream(
    `SELECT ${halves('h').join(', ')} FROM (SELECT h FROM (${files.join(' UNION ALL ')}) GROUP BY h HAVING count(*) > 1)`,
    (batch) => {
      const [highs, lows] = [batch.items(0).items, batch.items(1).items];
      for (let i = 0; i < batch.rows; i++) {
        high.push(highs[i]);
        low.push(lows[i]);
      }
      return fits();
    },
  );
  if (fits()) return { high: high.column(), low: low.column() };
  throw new InputError({
    file: sources.map(({ file }) => file).join(', '),
    column,
    problem: 'more events have an id that another has than fit the memory that the log may take',
    got: `${high.length.toLocaleString('en')} such ids and more, at 29 to 51 bytes each`,
    needed: `at most ${Math.floor(most / 1e6)} MB of them`,
    hint: 'raise --memory, or leave the repeated rows out of the files',
  });
}

/** An id as text; none where it is missing or empty. */
function idSql(source: SourceFile, column: string): string {
  return `nullif(CAST(${textSql(source, findColumn(source, column, 'eventId'))} AS VARCHAR), '')`;
}

function halves(hash: string): string[] {
  return [`CAST(${hash} >> 32 AS UINTEGER)`, `CAST(${hash} & 4294967295 AS UINTEGER)`];
}

/** Marks, or only counts, the rows whose id a row before has that is an event. Comes after all tasks that mark rows. */
export class EventIdTask implements ColumnTask {
  private readonly ids: SeenIds;
  private readonly repeated: RepeatedIds;
  private readonly kind: BadKind;
  private file = '';

  constructor(
    private readonly plan: Plan,
    private readonly column: string,
    { high, low }: Hashes,
    private readonly drops: boolean,
  ) {
    this.ids = new SeenIds(high.length);
    for (let i = 0; i < high.length; i++) this.ids.add(high[i], low[i]);
    this.repeated = new RepeatedIds(`an id (column ${JSON.stringify(column)})`, 'values');
    this.kind = { kind: 'event id is repeated', column, needed: 'an event once', hint: HINT, isRequested: true };
  }

  bind(source: SourceFile): string[] {
    this.file = source.file;
    const id = idSql(source, this.column);
    const values = new Set(usedColumns(this.plan).map(([name, key]) => findColumn(source, name, key).sql));
    const [high, low] = halves(`hash(${id})`);
    return [`CASE WHEN ${id} IS NOT NULL THEN ${high} END`, low, halves(`hash(${[...values].join(', ')})`)[1]];
  }

  check(batch: Batch, first: number, marks: Marks): void {
    const { ids, kind, repeated, drops, file } = this;
    const { items: high, valid } = batch.items(first);
    const { items: low } = batch.items(first + 1);
    const { items: contents } = batch.items(first + 2);
    for (let i = 0; i < batch.rows; i++) {
      if (!isValid(valid, i) || !marks.isEvent(i) || !ids.knows(high[i], low[i])) continue;
      const before = ids.find(high[i], low[i]);
      if (before === null) ids.add(high[i], low[i], marks.rowOf(i), contents[i]);
      else if (drops)
        marks.mark(i, kind, () => ({ needed: `an event once: its id is ${repeated.describe(before, contents[i])}` }));
      else repeated.take(() => `row ${marks.rowOf(i)} of all files (in ${file})`, before, contents[i]);
    }
  }

  append(): void {}

  warnings(): string[] {
    return this.repeated.warnings();
  }
}
