/** Table policies as a choice matrix over the log's key tuples or periods. */

import type { EventLog } from '../../log/event-log.js';
import { armIndex } from '../arm-names.js';
import { emptyChoices } from '../batch.js';
import { eventsPerCell } from '../cells.js';
import type { PolicyFamily, SpecPlace } from '../family.js';
import { shown, specFault } from '../spec-faults.js';
import { keyCells, type PeriodCells, periodCells, type TableCells } from './cells.js';
import { type TableRows, type TableSpec, tableSchema } from './spec.js';
import { parsePeriod, parseTime } from './time.js';

/** One row of a table. */
interface Entry {
  /** Where it stands in the spec. */
  readonly path: readonly PropertyKey[];
  /** Its key or period as text, to find rows that say the same. */
  readonly key: string;
  /** `undefined` where no event has the key. */
  readonly cell: number | undefined;
  readonly arm: string | number | null;
}

const NAMED = 3;

export const table: PolicyFamily<TableSpec> = {
  name: 'table',
  summary: 'an arm per value of key columns, or per period of time',
  schema: tableSchema,
  keyColumns: (spec) => spec.keys ?? [],
  async compile(spec, log, _files, place) {
    const { cells, entriesOf } = layout(spec, log, place);
    const { count } = cells.cells;
    const choices = emptyChoices(spec.tables.length * count, log.arms.ids.length);
    const none = choices.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff;
    const perCell = eventsPerCell(cells.cells, log.events);
    const names = spec.tables.map((one, i) => one.name ?? (spec.tables.length === 1 ? 'table' : `table ${i}`));
    const warnings = new Warnings(log.events);
    spec.tables.forEach((one, i) => {
      const row = choices.subarray(i * count, (i + 1) * count);
      if (one.default !== undefined) row.fill(armIndex(log, one.default, place, ['tables', i, 'default']));
      const unseen = fill(row, entriesOf(one, i), log, place);
      // A period without events is nothing to warn of; a value that never occurs may be misspelt.
      warnings.add(names[i], row, none, perCell, cells, spec.keys === undefined ? 0 : unseen);
    });
    return {
      kind: 'matrix',
      family: 'table',
      policies: spec.tables.length,
      names,
      warnings: warnings.sentences(place),
      cells: cells.cells,
      choices,
    };
  },
};

/** Writes a table's arms into its row of the choice matrix; returns the number of entries that no event asks for. */
function fill(row: Uint16Array | Uint32Array, entries: readonly Entry[], log: EventLog, place: SpecPlace): number {
  const seen = new Map<string, readonly PropertyKey[]>();
  let unseen = 0;
  for (const { path, key, cell, arm } of entries) {
    if (seen.has(key)) throw specFault(place, path, { problem: 'two rows of the table for the same key or period' });
    seen.set(key, path);
    if (arm === null) continue;
    const index = armIndex(log, arm, place, path);
    if (cell === undefined) unseen++;
    else row[cell] = index;
  }
  return unseen;
}

function layout(
  spec: TableSpec,
  log: EventLog,
  place: SpecPlace,
): { cells: Pick<TableCells<never>, 'cells' | 'describe'>; entriesOf: (one: TableRows, index: number) => Entry[] } {
  if (spec.period === undefined) {
    const keys = spec.keys ?? [];
    const cells = keyCells(log, keys, place);
    return { cells, entriesOf: (one, i) => keyEntries(one, i, keys, cells.find) };
  }
  const period = parsePeriod(spec.period) as number; // the schema has checked both
  const cells = periodCells(log, period, spec.origin === undefined ? null : parseTime(spec.origin), place);
  return { cells, entriesOf: (one, i) => periodEntries(one, i, period, cells, place) };
}

function keyEntries(
  one: TableRows,
  index: number,
  keys: readonly string[],
  find: TableCells<readonly string[]>['find'],
): Entry[] {
  const entry = (path: PropertyKey[], values: string[], arm: string | number): Entry => ({
    path: ['tables', index, ...path],
    key: JSON.stringify(values),
    cell: find(values),
    arm,
  });
  if (one.rows !== undefined) {
    return one.rows.map(({ when, arm }, r) => {
      const values = keys.map((key) => String(when[key]));
      return entry(['rows', r], values, arm);
    });
  }
  return Object.entries(one.choices ?? {}).map(([value, arm]) => entry(['choices', value], [value], arm));
}

function periodEntries(
  one: TableRows,
  index: number,
  period: number,
  { origin, find }: PeriodCells,
  place: SpecPlace,
): Entry[] {
  if (one.arms !== undefined) {
    return one.arms.map((arm, n) => ({ path: ['tables', index, 'arms', n], key: String(n), cell: find(n), arm }));
  }
  return Object.entries(one.choices ?? {}).map(([start, arm]) => {
    const path = ['tables', index, 'choices', start];
    const time = parseTime(start);
    if (time === null) {
      const needed = 'an ISO 8601 time, such as 2009-05-01T00:05:00Z';
      throw specFault(place, path, { problem: 'not the start of a period', got: shown(start), needed });
    }
    const n = (time - origin) / period;
    if (!Number.isInteger(n)) {
      throw specFault(place, path, {
        problem: 'not the start of a period',
        got: start,
        needed: `${new Date(origin).toISOString()} plus a whole number of periods of ${period} ms`,
        hint: `${new Date(origin + Math.floor(n) * period).toISOString()}? or give \`origin\``,
      });
    }
    return { path, key: String(n), cell: find(n), arm };
  });
}

/** Counts, over the tables of an entry, the events without an arm and the entries without an event. */
class Warnings {
  readonly #events: number;
  readonly #lines: string[] = [];
  #unseen = 0;

  constructor(events: number) {
    this.#events = events;
  }

  add(
    name: string,
    row: Uint16Array | Uint32Array,
    none: number,
    perCell: Float64Array,
    cells: Pick<TableCells<never>, 'describe'>,
    unseen: number,
  ): void {
    let events = 0;
    const examples: string[] = [];
    row.forEach((choice, cell) => {
      const n = perCell[cell];
      if (choice !== none || n === 0) return;
      events += n;
      if (examples.length < NAMED) examples.push(cells.describe(cell));
    });
    if (events > 0) {
      this.#lines.push(`"${name}" has no arm for ${events} of ${this.#events} events (e.g. ${examples.join('; ')})`);
    }
    this.#unseen += unseen;
  }

  sentences(place: SpecPlace): string[] {
    const sentences: string[] = [];
    if (this.#lines.length > 0) {
      const more = this.#lines.length > NAMED ? `; and ${this.#lines.length - NAMED} more tables` : '';
      sentences.push(`${place.path}: ${this.#lines.slice(0, NAMED).join('; ')}${more}; it matches nothing there.`);
    }
    if (this.#unseen > 0) {
      sentences.push(`${place.path}: ${this.#unseen} table entries are for values that no event of the log has.`);
    }
    return sentences;
  }
}
