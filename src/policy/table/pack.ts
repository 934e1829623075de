/** Table policies as a choice matrix over the log's key tuples or periods. */

import type { Archive, Carried } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { plural } from '../../words.js';
import { armIndex } from '../arm-names.js';
import { eventsPerCell } from '../cells.js';
import { emptyChoices } from '../compiled.js';
import {
  compileWhole,
  type LogSpan,
  type PolicyCompiler,
  type PolicyFamily,
  type SpecFiles,
  type SpecPlace,
} from '../family.js';
import { shown, specFault } from '../spec-faults.js';
import { keyCells, nearKey, type PeriodCells, periodCells, type TableCells } from './cells.js';
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
  computes: false,
  keyColumns: (spec) => spec.keys ?? [],
  compile: (spec, log, files, place) => compileWhole((span) => openTable(spec, span, files, place), log),
  open: openTable,
};

async function openTable(spec: TableSpec, span: LogSpan, _files: SpecFiles, place: SpecPlace): Promise<PolicyCompiler> {
  const names = spec.tables.map((one, i) => one.name ?? (spec.tables.length === 1 ? 'table' : `table ${i}`));
  // A period without events is nothing to warn of; a value that never occurs may be misspelt.
  const findings = spec.tables.map(() => new Findings(spec.keys !== undefined));
  return {
    policies: spec.tables.length,
    held: 0,
    // Cells of events; tables have a choice per cell.
    perEvent: 4,
    async compile(batch) {
      const { cells, entriesOf } = layout(spec, batch, span.time, place);
      const { count } = cells.cells;
      const choices = emptyChoices(spec.tables.length, count, batch.arms.ids.length);
      const none = choices.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff;
      const perCell = eventsPerCell(cells.cells, batch.events);
      spec.tables.forEach((one, i) => {
        const row = choices.subarray(i * count, (i + 1) * count);
        if (one.default !== undefined) row.fill(armIndex(batch, one.default, place, ['tables', i, 'default']));
        findings[i].addEntries(fill(row, entriesOf(one, i), batch, place));
        findings[i].addCells(row, none, perCell, cells);
      });
      return { kind: 'matrix', family: 'table', policies: spec.tables.length, names, cells: cells.cells, choices };
    },
    warnings: () => sentences(names, findings, span.events, place, nearOf(spec, span.head, findings)),
    carry: (archive) => {
      for (const one of findings) one.carry(archive);
    },
  };
}

/** Writes a table's arms into its row of the choice matrix; returns for each entry whether it does without events. */
function fill(row: Uint16Array | Uint32Array, entries: readonly Entry[], log: EventLog, place: SpecPlace): boolean[] {
  const seen = new Map<string, readonly PropertyKey[]>();
  return entries.map(({ path, key, cell, arm }) => {
    if (seen.has(key)) throw specFault(place, path, { problem: 'two rows of the table for the same key or period' });
    seen.set(key, path);
    if (arm === null) return false;
    const index = armIndex(log, arm, place, path);
    if (cell !== undefined) row[cell] = index;
    return cell === undefined;
  });
}

function layout(
  spec: TableSpec,
  log: EventLog,
  time: LogSpan['time'],
  place: SpecPlace,
): { cells: Pick<TableCells<never>, 'cells' | 'describe'>; entriesOf: (one: TableRows, index: number) => Entry[] } {
  if (spec.period === undefined) {
    const keys = spec.keys ?? [];
    const cells = keyCells(log, keys, place);
    return { cells, entriesOf: (one, i) => keyEntries(one, i, keys, cells.find) };
  }
  const period = parsePeriod(spec.period) as number; // the schema has checked both
  const cells = periodCells(log, period, spec.origin === undefined ? null : parseTime(spec.origin), time, place);
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
    const values = keyValues(one, keys);
    return one.rows.map(({ arm }, r) => entry(['rows', r], values[r], arm));
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

/** What the events say of one table: those without an arm, and entries without an event. */
class Findings implements Carried {
  /** Events without an arm, and a few of their cells. */
  private events = 0;
  private readonly examples: string[] = [];
  /** 1 for entries that no event asked for so far; made with the first batch. */
  private unseen: Uint8Array | null = null;

  constructor(private readonly countsEntries: boolean) {}

  addEntries(unseen: readonly boolean[]): void {
    this.unseen ??= new Uint8Array(unseen.length).fill(1);
    for (let i = 0; i < unseen.length; i++) if (!unseen[i]) this.unseen[i] = 0;
  }

  addCells(
    row: Uint16Array | Uint32Array,
    none: number,
    perCell: Float64Array,
    cells: Pick<TableCells<never>, 'describe'>,
  ): void {
    row.forEach((choice, cell) => {
      const n = perCell[cell];
      if (choice !== none || n === 0) return;
      this.events += n;
      if (this.examples.length >= NAMED) return;
      const example = cells.describe(cell);
      if (!this.examples.includes(example)) this.examples.push(example);
    });
  }

  /** `"by segment" has no arm for 7 of 100 events (e.g. …)`; `null` where it has one for all. */
  line(name: string, all: number): string | null {
    return this.events === 0
      ? null
      : `"${name}" has no arm for ${this.events.toLocaleString('en')} of ${plural(all, 'event')} (e.g. ${this.examples.join('; ')})`;
  }

  readonly isUnseen = (entry: number): boolean => this.unseen?.[entry] === 1;

  get entriesWithoutEvents(): number {
    return this.countsEntries ? (this.unseen?.reduce((sum, flag) => sum + flag, 0) ?? 0) : 0;
  }

  carry(archive: Archive): void {
    this.events = archive.number(this.events);
    const examples = JSON.parse(archive.text(JSON.stringify(this.examples))) as string[];
    this.examples.splice(0, this.examples.length, ...examples);
    const begun = archive.flag(this.unseen !== null);
    this.unseen = begun ? archive.list(this.unseen ?? new Uint8Array(0)) : null;
  }
}

/** What the first entry without events that is near a value of the log is likely to mean. */
function nearOf({ keys, tables }: TableSpec, head: EventLog, findings: readonly Findings[]): string | null {
  for (const [i, one] of tables.entries()) {
    const isUnseen = findings[i].isUnseen;
    if (keys === undefined || findings[i].entriesWithoutEvents === 0) continue;
    for (const [e, values] of keyValues(one, keys).entries()) {
      const near = isUnseen(e) ? nearKey(head, keys, values) : null;
      if (near !== null) return near;
    }
  }
  return null;
}

/** Values of the keys of each entry. */
function keyValues({ rows, choices }: TableRows, keys: readonly string[]): string[][] {
  if (rows !== undefined) return rows.map(({ when }) => keys.map((key) => String(when[key])));
  return Object.keys(choices ?? {}).map((value) => [value]);
}

function sentences(
  names: readonly string[],
  findings: readonly Findings[],
  events: number,
  place: SpecPlace,
  near: string | null,
): string[] {
  const lines = findings.flatMap((one, i) => one.line(names[i], events) ?? []);
  const unseen = findings.reduce((sum, one) => sum + one.entriesWithoutEvents, 0);
  const all: string[] = [];
  if (lines.length > 0) {
    const more = lines.length > NAMED ? `; and ${plural(lines.length - NAMED, 'more table')}` : '';
    all.push(`${place.path}: ${lines.slice(0, NAMED).join('; ')}${more}; it matches nothing there.`);
  }
  if (unseen > 0)
    all.push(
      `${place.path}: ${plural(unseen, 'table entry is', 'table entries are')} for values that no event of the log has${near === null ? '.' : `; did you mean ${near}?`}`,
    );
  return all;
}
