/** Events whose id was there before, in files under a mapping. */

import { type Database, isValid, type RowBatch } from '../../../files/duckdb.js';
import { type IdHashes, SeenIds } from '../../../log/build/seen-ids.js';
import { RepeatedIds } from '../../../log/checks/repeated-ids.js';
import type { SourceFile } from '../../format.js';
import { halves, sharedIds } from '../../shared-ids.js';
import { checkFloats, usedColumns } from './dictionary.js';
import type { BadKind, Marks } from './marks.js';
import type { Plan } from './plan.js';
import type { ColumnTask } from './tasks.js';
import { findColumn, textSql } from './values.js';

const HINT = 'nothing where it is a retry or a copy; an event of its own needs an id of its own';

/** The ids that more than one row has. @throws InputError where they are too many for the memory, or floats too large to tell apart. */
export async function repeatedIds(
  database: Database,
  sources: readonly SourceFile[],
  column: string,
): Promise<IdHashes> {
  const files = sources.map((source) => {
    const id = idSql(source, column);
    return `SELECT hash(${id}) AS h FROM ${source.checkedRelation ?? source.relation} WHERE ${id} IS NOT NULL`;
  });
  for (const source of sources) {
    const values = `SELECT ${idSql(source, column)} AS v FROM ${source.relation}`;
    await checkFloats(database, source, findColumn(source, column, 'eventId'), values);
  }
  const file = sources.map(({ file }) => file).join(', ');
  return sharedIds(database, files.join(' UNION ALL '), { file, column });
}

/** An id as text; none where it is missing or empty. */
function idSql(source: SourceFile, column: string): string {
  return `nullif(CAST(${textSql(source, findColumn(source, column, 'eventId'))} AS VARCHAR), '')`;
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
    shared: IdHashes,
    private readonly drops: boolean,
  ) {
    this.ids = SeenIds.among(shared);
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

  check(batch: RowBatch, first: number, marks: Marks): void {
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
