/** Packs entries for the match kernel, segment by segment. Pure: no device. */

import type { Entries } from '../entries.js';

/** Entries of a chunk as the match kernel reads them. */
export interface EntryChunk {
  readonly data: Uint32Array;
  /** First and last+1 entry of each segment. */
  readonly segments: Uint32Array;
  /** Block of each segment. */
  readonly block: readonly number[];
}

/** Entries of a segment: positions in `Entries`, all of one block. */
export interface Segment {
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

/** Cuts entries from..to−1 at block borders and every `length` entries. */
export function cutSegments(entries: Entries, from: number, to: number, length: number): Segment[] {
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
/** Words of a logged arm that no choice equals: padding between segments. */
const NEVER = 0xfffe_0000;

/**
 * Packs entries whose slot is their own position: `positions[i]` is the entry in slot i, −1 in padding.
 *
 * @param groupSlots First slot of each segment (length segments + 1).
 */
export function packDirectEntries(
  entries: Entries,
  segments: readonly Segment[],
  positions: Int32Array,
  groupSlots: readonly number[],
): EntryChunk {
  const { arm, words, columns } = entries;
  const stride = 1 + columns;
  const data = new Uint32Array(positions.length * stride);
  for (let i = 0; i < positions.length; i++) {
    const entry = positions[i];
    data[i * stride] = entry < 0 ? NEVER : arm[entry];
  }
  words?.forEach((column, c) => {
    for (let i = 0; i < positions.length; i++) if (positions[i] >= 0) data[i * stride + 1 + c] = column[positions[i]];
  });
  const bounds = new Uint32Array(segments.length * 2);
  segments.forEach((_, s) => {
    bounds.set([groupSlots[s], groupSlots[s + 1]], s * 2);
  });
  return { data, segments: bounds, block: segments.map((segment) => segment.block) };
}

/** Packs entries from..to−1 that point at slots of cells decided before. */
export function packCellEntries(
  entries: Entries,
  segments: readonly Segment[],
  from: number,
  to: number,
  slotOf: (cell: number) => number,
): EntryChunk {
  const { arm, cell, words, folded, columns } = entries;
  const stride = 2 + (folded === null ? columns : 1 + 2 * columns);
  const data = new Uint32Array((to - from) * stride);
  for (let i = from; i < to; i++) {
    let at = (i - from) * stride;
    data[at++] = arm[i];
    data[at++] = slotOf(cell === null ? i : cell[i]);
    for (const column of words ?? []) data[at++] = column[i];
    if (folded === null) continue;
    const numbers = i * (1 + columns);
    data[at++] = folded[numbers];
    for (let c = 1; c <= columns; c++) {
      data[at++] = folded[numbers + c] % WORD;
      data[at++] = Math.floor(folded[numbers + c] / WORD);
    }
  }
  const bounds = new Uint32Array(segments.length * 2);
  segments.forEach((segment, s) => {
    bounds.set([segment.from - from, segment.to - from], s * 2);
  });
  return { data, segments: bounds, block: segments.map((segment) => segment.block) };
}
