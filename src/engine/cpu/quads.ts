/** Packs cells into quads: four at a time with one pool, features side by side, as the linear kernels read them. */

import type { Screen } from '../../policy/screen.js';

/** Quads from..to−1 of a chunk, all of one group. */
interface QuadRun {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

/** Positions of a chunk, group by group; −1 pads the last quad of a group. */
export interface QuadOrder {
  readonly runs: readonly QuadRun[];
  /** Position (relative to the chunk) of each of 4 · quads slots, or −1. */
  readonly slots: Int32Array;
  readonly quads: number;
}

/** Groups positions 0..count−1 by a key, in ascending order of the keys. */
export function groupQuads(count: number, keyOf: (i: number) => number): QuadOrder {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < count; i++) {
    const key = keyOf(i);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [i]);
    else group.push(i);
  }
  const runs: QuadRun[] = [];
  let quads = 0;
  for (const key of [...groups.keys()].sort((a, b) => a - b)) {
    const from = quads;
    quads += Math.ceil((groups.get(key)?.length ?? 0) / 4);
    runs.push({ key, from, to: quads });
  }
  const slots = new Int32Array(quads * 4).fill(-1);
  for (const { key, from } of runs) slots.set(groups.get(key) ?? [], from * 4);
  return { runs, slots, quads };
}

/** Writes y of events, [quads][d][4], for the slots; pads become zeros. `eventOf(i)` is the event of position i. */
export function packContexts(
  screen: Screen,
  slots: Int32Array,
  eventOf: (i: number) => number,
  out: Float64Array | Float32Array,
): void {
  const { dimension } = screen;
  for (let s = 0; s < slots.length; s++) {
    const position = slots[s];
    let to = (s >> 2) * dimension * 4 + (s & 3);
    if (position < 0) {
      for (let j = 0; j < dimension; j++, to += 4) out[to] = 0;
      continue;
    }
    screen.write(eventOf(position), out, to, 4);
  }
}

/** Writes which slots are in use and the events' parts of the screen's bound; returns the largest norm of a context. */
export function packBounds(
  screen: Screen,
  slots: Int32Array,
  eventOf: (i: number) => number,
  { present, errors }: { readonly present: Uint32Array; readonly errors: Float32Array },
): number {
  let largest = 0;
  for (let s = 0; s < slots.length; s++) {
    const position = slots[s];
    present[s] = position < 0 ? 0 : 0xffffffff;
    if (position < 0) continue;
    const norm = screen.contextNorm(eventOf(position));
    errors[s] = screen.errorFactor(norm);
    largest = Math.max(largest, norm);
  }
  return largest;
}
