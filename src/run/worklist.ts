/**
 * What an engine has to go through for one policy batch: cells to decide, and entries to match against the decisions.
 *
 * An entry is an event, or (folded) all events of a block that share cell and logged arm: they match together, so
 * their counts and sums are added up once and a policy's statistics are a sum over entries.
 */

import { LIMB } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import { type Cells, contextCells, poolCells } from '../log/cells.js';
import type { EventLog } from '../log/event-log.js';
import { loggedRows } from '../log/feature-rows.js';
import type { PolicyBatch } from '../policy/batch.js';

export interface Entries {
  /** N */
  readonly count: number;
  /** Block b holds entries `starts[b] .. starts[b+1])`. */
  readonly starts: Float64Array;
  /** Logged arm of each entry; for policies that score feature rows, the row that the event shows for it. */
  readonly arm: Uint32Array;
  /** Cell of each entry; `null`: entry i is cell i (an event of its own). */
  readonly cell: Uint32Array | null;
  /** Unfolded: payoff steps of each entry's event. Folded: `null`. */
  readonly steps: Uint32Array | null;
  /** Folded: events, Σ k, and Σ k² as high · 2³² + low. `null` when unfolded; squares are `null` for 0/1 steps. */
  readonly folded: FoldedSums | null;
}

export interface FoldedSums {
  readonly events: Uint32Array;
  readonly payoff: Float64Array;
  readonly squareHigh: Float64Array | null;
  readonly squareLow: Float64Array | null;
}

export interface Worklist {
  /** C */
  readonly cells: number;
  /** An event of each cell (its context and pool); `null`: cell c is event c. */
  readonly cellEvent: Uint32Array | null;
  readonly entries: Entries;
  /** Steps are 0 or 1, so Σ k² = Σ k. */
  readonly binary: boolean;
}

/** Folding must save at least this share of the entries to be worth its sums. */
const WORTH_FOLDING = 0.75;

/** Plans the work of a batch on a log. */
export function makeWorklist(log: EventLog, plan: BlockPlan, batch: PolicyBatch): Worklist {
  const binary = log.payoff.maxSteps <= 1;
  const cells = cellsOf(log, batch);
  const { order } = plan;
  const arm = batch.kind === 'joint' ? loggedRows(log) : log.arm;
  if (cells.of === null && cells.count !== 1)
    return { cells: log.events, cellEvent: order, entries: eventEntries(log, arm, plan, null), binary };
  const folded = foldEntries(log, arm, plan, cells.of, binary);
  // A single cell needs no list of cells in the log, but entries without one would be cells of their own.
  const entries = folded ?? eventEntries(log, arm, plan, cells.of ?? shared(log.events, () => {}));
  return { cells: cells.count, cellEvent: cells.event, entries, binary };
}

/** Decision units of a batch. Scored policies decide per (context, pool), a random choice per event. */
function cellsOf(log: EventLog, batch: PolicyBatch): Cells & { readonly event: Uint32Array | null } {
  if (batch.kind === 'joint' && batch.features === 'arm') return poolCells(log);
  if (batch.kind === 'linear' || batch.kind === 'joint') return contextCells(log);
  if (batch.kind === 'uniform') return { count: log.events, of: null, event: null };
  return { ...batch.cells, event: null };
}

/** One entry per event, in block order. Without a reordering the log's own columns are used as they are. */
function eventEntries(log: EventLog, arm: Uint32Array, plan: BlockPlan, cellOf: Uint32Array | null): Entries {
  const { order } = plan;
  const pick = (column: Uint32Array): Uint32Array =>
    order === null
      ? column
      : shared(column.length, (out) =>
          out.forEach((_, i) => {
            out[i] = column[order[i]];
          }),
        );
  return {
    count: log.events,
    starts: plan.starts,
    arm: pick(arm),
    cell: cellOf === null ? null : pick(cellOf),
    steps: pick(log.payoff.steps),
    folded: null,
  };
}

/** Counts (block, cell, arm); `null` where that would hardly be shorter than the events. */
function foldEntries(
  log: EventLog,
  armOf: Uint32Array,
  plan: BlockPlan,
  cellOf: Uint32Array | null,
  binary: boolean,
): Entries | null {
  let largest = 0;
  for (let b = 0; b < plan.blocks; b++) largest = Math.max(largest, plan.starts[b + 1] - plan.starts[b]);
  const table = new SlotTable(largest);
  const limit = Math.floor(log.events * WORTH_FOLDING);
  const starts = new Float64Array(plan.blocks + 1);
  const entryOf = new Uint32Array(largest);
  let count = 0;
  // First pass: number the entries. Kept per block so that the table stays as small as a block.
  const cellParts: number[] = [];
  const armParts: number[] = [];
  const events: number[] = [];
  const payoff: number[] = [];
  const squareHigh: number[] = [];
  const squareLow: number[] = [];
  for (let b = 0; b < plan.blocks; b++) {
    table.clear();
    for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
      const t = plan.order === null ? i : plan.order[i];
      const cell = cellOf === null ? 0 : cellOf[t];
      const arm = armOf[t];
      const slot = table.slot(cell, arm);
      let entry = entryOf[slot];
      if (table.isNew) {
        entry = count++;
        if (count > limit) return null;
        entryOf[slot] = entry;
        cellParts.push(cell);
        armParts.push(arm);
        events.push(0);
        payoff.push(0);
        if (!binary) {
          squareHigh.push(0);
          squareLow.push(0);
        }
      }
      const k = log.payoff.steps[t];
      events[entry]++;
      payoff[entry] += k;
      if (!binary) {
        const square = squareLimbs(k);
        const low = squareLow[entry] + square.low;
        const carry = Math.floor(low / LIMB);
        squareLow[entry] = low - carry * LIMB;
        squareHigh[entry] += square.high + carry;
      }
    }
    starts[b + 1] = count;
  }
  return {
    count,
    starts,
    arm: Uint32Array.from(armParts),
    cell: Uint32Array.from(cellParts),
    steps: null,
    folded: {
      events: Uint32Array.from(events),
      payoff: Float64Array.from(payoff),
      squareHigh: binary ? null : Float64Array.from(squareHigh),
      squareLow: binary ? null : Float64Array.from(squareLow),
    },
  };
}

const limbs = { high: 0, low: 0 };

/** k² = high · 2³² + low, exactly, for k < 2³². The object is reused. */
export function squareLimbs(k: number): { high: number; low: number } {
  const a = Math.floor(k / 65536);
  const b = k % 65536;
  // k² = a²·2³² + 2ab·2¹⁶ + b²; 2ab < 2³³ is split at 2¹⁶.
  const cross = 2 * a * b;
  const low = (cross % 65536) * 65536 + b * b;
  const carry = Math.floor(low / LIMB);
  limbs.high = a * a + Math.floor(cross / 65536) + carry;
  limbs.low = low - carry * LIMB;
  return limbs;
}

/** Open-addressing table from (cell, arm) to a slot, emptied in constant time by a generation stamp. */
class SlotTable {
  isNew = false;
  private readonly mask: number;
  private readonly cell: Uint32Array;
  private readonly arm: Uint32Array;
  private readonly stamp: Uint32Array;
  private readonly index: Uint32Array;
  private generation = 0;
  private used = 0;

  constructor(entries: number) {
    let size = 16;
    while (size < entries * 2) size *= 2;
    this.mask = size - 1;
    this.cell = new Uint32Array(size);
    this.arm = new Uint32Array(size);
    this.stamp = new Uint32Array(size);
    this.index = new Uint32Array(size);
  }

  clear(): void {
    this.generation++;
    this.used = 0;
  }

  /** Number of the pair within this generation, in order of first sight; `isNew` tells whether it was just made. */
  slot(cell: number, arm: number): number {
    let at = (Math.imul(cell, 0x9e3779b1) ^ Math.imul(arm, 0x85ebca6b)) >>> 0;
    at = (at ^ (at >>> 15)) & this.mask;
    while (this.stamp[at] === this.generation) {
      if (this.cell[at] === cell && this.arm[at] === arm) {
        this.isNew = false;
        return this.index[at];
      }
      at = (at + 1) & this.mask;
    }
    this.stamp[at] = this.generation;
    this.cell[at] = cell;
    this.arm[at] = arm;
    this.index[at] = this.used++;
    this.isNew = true;
    return this.index[at];
  }
}

/** A u32 column on shared memory where the platform has it. */
function shared(length: number, fill: (out: Uint32Array) => void): Uint32Array {
  const bytes = length * 4;
  const out = new Uint32Array(
    typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes),
  );
  fill(out);
  return out;
}
