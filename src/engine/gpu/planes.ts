/** Match columns as the kernels add them up: words whose sums stay below 2³². Pure: no device. */

import type { ColumnKind } from '../../estimate/sums/summands.js';
import type { Layout } from './layout.js';

/** A word of a row of sums: so many times it is a part of its column. */
export interface SumWord {
  readonly column: number;
  readonly scale: number;
}

/** Bits `shift` and up of a column's words, those of `mask` if they are not all. */
export interface Plane extends SumWord {
  readonly shift: number;
  readonly mask: number;
}

const HALF = 2 ** 16;

/** The planes of match columns, maxima first. @param events most that one sum is of, up to 2¹⁶. */
export function planesOf(words: readonly Uint32Array[], kinds: readonly ColumnKind[], events: number): Plane[] {
  const planes: Plane[] = [];
  const whole = (column: number): Plane => ({ column, scale: 1, shift: 0, mask: 0xffffffff });
  kinds.forEach(({ reduce }, column) => {
    if (reduce === 'max') planes.push(whole(column));
  });
  kinds.forEach(({ reduce }, column) => {
    if (reduce === 'max') return;
    if (largest(words[column]) * events < 2 ** 32) planes.push(whole(column));
    else for (const shift of [0, 16]) planes.push({ column, scale: shift === 0 ? 1 : HALF, shift, mask: HALF - 1 });
  });
  return planes;
}

function largest(words: Uint32Array): number {
  let most = 0;
  for (let i = 0; i < words.length; i++) if (words[i] > most) most = words[i];
  return most;
}

/** Per tile and plane a word for each slot, 0 in padding. */
export function packPlanes(
  { cellOf, fours }: Layout,
  planes: readonly Plane[],
  words: readonly Uint32Array[],
): Uint32Array {
  const tile = 256 * fours;
  const data = new Uint32Array(cellOf.length * planes.length);
  planes.forEach(({ column, shift, mask }, plane) => {
    const own = words[column];
    for (let from = 0; from < cellOf.length; from += tile) {
      const at = from * planes.length + plane * tile;
      for (let i = 0; i < tile; i++) if (cellOf[from + i] >= 0) data[at + i] = (own[cellOf[from + i]] >>> shift) & mask;
    }
  });
  return data;
}
