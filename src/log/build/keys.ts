/** Columns kept by value. */

import { sortIds } from '../../names/order.js';
import type { KeyColumn } from '../event-log.js';
import { u32Column } from './memory.js';

/** Encodes values, given as text, into a key column with sorted levels. */
export function keyColumn(values: Iterable<string>, length: number): KeyColumn {
  const first = new Map<string, number>();
  const code = u32Column(length);
  let t = 0;
  for (const value of values) {
    let k = first.get(value);
    if (k === undefined) {
      k = first.size;
      first.set(value, k);
    }
    code[t++] = k;
  }
  const levels = sortIds([...first.keys()]);
  const rankOfFirst = new Uint32Array(levels.length);
  for (const [rank, level] of levels.entries()) rankOfFirst[first.get(level) ?? 0] = rank;
  for (let i = 0; i < t; i++) code[i] = rankOfFirst[code[i]];
  return { levels, code };
}
