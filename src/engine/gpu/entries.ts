/** Cuts entries into segments, and packs those of cells for the match kernel. Pure: no device. */

import type { Entries } from '../entries.js';

/** Entries of a segment: positions in `Entries`, all of one block. */
export interface Segment {
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

/** Cuts entries from..to−1 at block borders and every `length` entries. */
export function cutSegments(entries: Pick<Entries, 'starts'>, from: number, to: number, length: number): Segment[] {
  const segments: Segment[] = [];
  for (let block = 0; block + 1 < entries.starts.length; block++) {
    const end = Math.min(to, entries.starts[block + 1]);
    for (let start = Math.max(from, entries.starts[block]); start < end; start += length) {
      segments.push({ block, from: start, to: Math.min(end, start + length) });
    }
  }
  return segments;
}

const WORD = 2 ** 32;

/** Packs entries from..to−1 with the slots of their cells, and the first and last+1 entry of each segment. */
export function packEntries(
  { arm, cell, words, folded, columns }: Entries,
  segments: readonly Segment[],
  from: number,
  to: number,
  slotOf: Uint32Array,
): { data: Uint32Array; segments: Uint32Array } {
  const stride = 2 + (folded === null ? columns : 1 + 2 * columns);
  const data = new Uint32Array((to - from) * stride);
  for (let i = from; i < to; i++) {
    let at = (i - from) * stride;
    data[at++] = arm[i];
    data[at++] = slotOf[cell === null ? i : cell[i]];
    for (const column of words ?? []) data[at++] = column[i];
    if (folded === null) continue;
    const numbers = i * (1 + columns);
    data[at++] = folded[numbers];
    for (let c = 1; c <= columns; c++) {
      data[at++] = folded[numbers + c] % WORD;
      data[at++] = Math.floor(folded[numbers + c] / WORD);
    }
  }
  return { data, segments: Uint32Array.from(segments.flatMap((one) => [one.from - from, one.to - from])) };
}
