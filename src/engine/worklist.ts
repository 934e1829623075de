/**
 * What an engine has to go through for compiled policies: cells to decide, and entries to match against the decisions. An entry is
 * an event, or (folded) all events of a block that share cell and arm.
 */

import { EngineError } from '../errors.js';
import type { BlockPlan } from '../estimate/blocks/blocks.js';
import {
  type ChoiceTable,
  type ColumnKind,
  isChoiceTable,
  kindsOf,
  type MatchColumn,
  type Summand,
} from '../estimate/sums/summands.js';
import type { ContextCells } from '../log/cells.js';
import type { EventLog } from '../log/event-log.js';
import { loggedRows, rowPools } from '../log/feature-rows.js';
import type { CompiledPolicies } from '../policy/compiled.js';
import { scoredFamily } from '../policy/scored-families.js';
import { plural } from '../words.js';
import { choiceEntries, type Entries, type EntryCells, foldEntries } from './entries.js';
import { sharedBytes, toShared } from './shared.js';

export interface Worklist {
  /** C */
  readonly cells: number;
  /** An event of each cell (its context and pool); `null`: cell c is event c. */
  readonly cellEvent: Uint32Array | null;
  readonly entries: Entries;
  /** `null`: there are no choice tables, or folded entries have them. */
  readonly gathered: Gathered | null;
  /** Of the match columns, and then of the choice tables. */
  readonly kinds: readonly ColumnKind[];
}

/** Choice tables that are looked up event by event. */
export interface Gathered {
  readonly tables: readonly GatheredTable[];
  /** Arm that a choice stands for, where choices are feature rows. */
  readonly armOf: Uint32Array | null;
  /** Pool of each entry, where choices need not be candidates. */
  readonly pool: Uint32Array | null;
}

/** Choice tables that share their rows. */
export interface GatheredTable {
  /** Of each of the T tables: the number of a row and an arm is at (row · K + arm) · stride. */
  readonly words: readonly Uint32Array[];
  /** T: what a choice has of all of them lies together. 1: as the tables were given. */
  readonly stride: number;
  /** K */
  readonly arms: number;
  /** Row of each entry, [N]. */
  readonly rows: Uint32Array;
  /** Column of the statistics of each of the T tables. */
  readonly columns: readonly number[];
}

/** Whether choices are made cell by cell, once for all blocks, and not entry by entry. */
export function isByCell({ entries, gathered }: Worklist): boolean {
  return entries.cell !== null || gathered !== null;
}

/** Numbers of folded entries, where choice tables make one of every candidate of a cell: 64 MiB. Beyond it they are gathered. */
const TABLE_NUMBERS = 1 << 23;

/** Folding must save at least this share of the entries to be worth its sums. */
const WORTH_FOLDING = 0.75;

/**
 * Plans the work of policies on a log.
 *
 * @param summands match columns before choice tables.
 * @param foldTables whether folded entries may have tables too, of which each is then as wide as all summands together.
 * @throws EngineError for another order, and for tables that are not the log's.
 */
export function makeWorklist(
  log: EventLog,
  plan: BlockPlan,
  compiled: CompiledPolicies,
  summands: readonly Summand[],
  foldTables: boolean,
): Worklist {
  const columns = summands.filter((summand): summand is MatchColumn => !isChoiceTable(summand));
  const tables = summands.filter(isChoiceTable);
  if (summands.slice(columns.length).some((summand) => !isChoiceTable(summand)))
    throw new EngineError('match columns come before choice tables');
  for (const table of tables) checkTable(table, log);
  const kinds = kindsOf(summands);
  const deciding = decidingOf(log, compiled);
  const { cells, scores } = deciding;
  const arm = scores === 'rows' ? loggedRows(log) : log.arm;
  const perEvent = isPerEvent(cells);
  const event = perEvent ? plan.order : cells.event;
  const work = { cells: perEvent ? log.events : cells.count, cellEvent: event, kinds };
  const { pools } = log;
  const codes = scores === 'rows' ? rowPools(log).arms : pools.arms;
  const count = scores === 'rows' ? (log.armFeatures?.rows ?? 0) : log.arms.ids.length;
  const numbered = entryCells(cells, count);
  const isApart = perEvent || (tables.length > 0 && !foldTables);
  const folded = isApart
    ? null
    : tables.length === 0
      ? foldEntries(plan, numbered, arm, columns, Math.floor(log.events * WORTH_FOLDING))
      : choiceEntries(
          plan,
          numbered,
          arm,
          summands,
          { pools, codes },
          Math.floor(TABLE_NUMBERS / (1 + summands.length)),
        );
  if (folded !== null) return { ...work, entries: folded, gathered: null };
  // A single cell needs no list of cells in the log, but entries without one would be cells of their own.
  const cellOf = perEvent ? null : (cells.of ?? shared(log.events, () => {}));
  const pick = (column: Uint32Array): Uint32Array => inOrder(column, plan);
  return {
    ...work,
    entries: eventEntries(arm, columns, plan, cellOf),
    gathered: tables.length === 0 ? null : gather(log, deciding, tables, columns.length, codes, pick),
  };
}

function checkTable({ name, words, arms, row }: ChoiceTable, log: EventLog): void {
  const rows = arms === 0 ? 0 : words.length / arms;
  const needed = row === null ? log.events : row.reduce((most, r) => Math.max(most, r + 1), 0);
  if (arms === log.arms.ids.length && Number.isInteger(rows) && rows >= needed && (row?.length ?? rows) >= log.events)
    return;
  throw new EngineError(
    `choice table ${name} of ${words.length} numbers for ${arms} arms does not fit a log of ${plural(log.events, 'event')} and ${plural(log.arms.ids.length, 'arm')}`,
  );
}

function gather(
  { pools, events }: EventLog,
  { anywhere, inTurn }: Pick<Deciding, 'anywhere' | 'inTurn'>,
  tables: readonly ChoiceTable[],
  /** Column of the first. */
  first: number,
  codes: Uint32Array,
  pick: (column: Uint32Array) => Uint32Array,
): Gathered {
  const eventOf = (): Uint32Array =>
    shared(events, (out) =>
      out.forEach((_, t) => {
        out[t] = t;
      }),
    );
  const groups = new Map<Uint32Array | null, number[]>();
  tables.forEach(({ row, words }, n) => {
    const group = groups.get(row) ?? [];
    // Without rows to look up, tables may be longer than the log.
    const isAlike = group.every((other) => tables[other].words.length === words.length);
    groups.set(isAlike ? row : Uint32Array.from(row ?? eventOf()), isAlike ? [...group, n] : [n]);
  });
  let armOf: Uint32Array | null = null;
  if (codes !== pools.arms) {
    armOf = shared(
      codes.reduce((most, code) => Math.max(most, code + 1), 0),
      () => {},
    );
    for (let place = 0; place < codes.length; place++) armOf[codes[place]] = pools.arms[place];
  }
  return {
    tables: Array.from(groups, ([row, group]) => ({
      ...placed(
        group.map((n) => tables[n].words),
        inTurn,
      ),
      arms: tables[group[0]].arms,
      rows: toShared(pick(row ?? eventOf())),
      columns: group.map((n) => first + n),
    })),
    armOf,
    pool: anywhere ? toShared(pick(pools.pool ?? shared(events, () => {}))) : null,
  };
}

/** Tables as they were given, where all of a row is read in turn; else side by side. */
function placed(tables: readonly Uint32Array[], inTurn: boolean): Pick<GatheredTable, 'words' | 'stride'> {
  if (inTurn) return { words: tables, stride: 1 };
  const stride = tables.length;
  const all = shared(tables[0].length * stride, (out) => {
    tables.forEach((words, n) => {
      for (let i = 0, at = n; i < words.length; i++, at += stride) out[at] = words[i];
    });
  });
  return { words: tables.map((_, n) => all.subarray(n)), stride };
}

/** How policies decide on a log. */
interface Deciding {
  /** Decision units, and an event of each. */
  readonly cells: ContextCells;
  /** What choices name. */
  readonly scores: 'arms' | 'rows';
  /** Whether choices need not be candidates. */
  readonly anywhere: boolean;
  /** Whether a number of each candidate of an event is wanted, and then of the next. */
  readonly inTurn: boolean;
}

function decidingOf(log: EventLog, compiled: CompiledPolicies): Deciding {
  switch (compiled.kind) {
    case 'matrix':
      return { cells: { ...compiled.cells, event: null }, scores: 'arms', anywhere: true, inTurn: false };
    case 'scored': {
      const family = scoredFamily(compiled);
      const cells = family.cells(compiled, log);
      return { cells, scores: family.scores, anywhere: false, inTurn: isPerEvent(cells) };
    }
    case 'uniform':
      return {
        ...{ cells: { count: log.events, of: null, event: null }, scores: 'arms' },
        ...{ anywhere: false, inTurn: false },
      };
  }
}

function isPerEvent({ of, count }: ContextCells): boolean {
  return of === null && count !== 1;
}

function entryCells({ count, of }: ContextCells, arms: number): EntryCells {
  const cellOf = of !== null ? (t: number) => of[t] : count === 1 ? () => 0 : (t: number) => t;
  return { cellOf, cells: count, arms };
}

/** One entry per event, in block order. Without a reordering the log's own columns are used as they are. */
function eventEntries(
  arm: Uint32Array,
  columns: readonly MatchColumn[],
  plan: BlockPlan,
  cellOf: Uint32Array | null,
): Entries {
  const pick = (column: Uint32Array): Uint32Array => inOrder(column, plan);
  return {
    count: arm.length,
    starts: plan.starts,
    arm: pick(arm),
    cell: cellOf === null ? null : pick(cellOf),
    columns: columns.length,
    words: columns.map(({ words }) => pick(words)),
    folded: null,
  };
}

/** A column of the log's events in the order of the plan. */
function inOrder(column: Uint32Array, { order }: BlockPlan): Uint32Array {
  if (order === null) return column;
  return shared(column.length, (out) =>
    out.forEach((_, i) => {
      out[i] = column[order[i]];
    }),
  );
}

/** A u32 column on shared memory where the platform has it. */
function shared(length: number, fill: (out: Uint32Array) => void): Uint32Array {
  const out = new Uint32Array(sharedBytes(length * 4));
  fill(out);
  return out;
}
