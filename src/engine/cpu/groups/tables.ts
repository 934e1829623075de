/** Choice tables that kernels add up, and those of a tree as `../wasm/choices.as.ts` reads them. */

import type { PoolTable } from '../../../log/event-log.js';
import type { GatheredTable, Worklist } from '../../worklist.js';
import { BOX_EVENTS } from './tree.js';

/** Tables that are added up together. */
export const TABLES = 4;

/** The tables of a job where kernels can add them up: few, with rows in common, that stand for arms; `null`: they cannot. */
export function summedTables({ gathered, kinds }: Pick<Worklist, 'gathered' | 'kinds'>): GatheredTable | null {
  if (gathered === null || gathered.armOf !== null || gathered.pool !== null) return null;
  const [table, ...more] = gathered.tables;
  const isSum = table.columns.every((c) => kinds[c].reduce === 'sum');
  return more.length === 0 && table.columns.length <= TABLES && isSum ? table : null;
}

/** Words of the tables of so many events: numbers of each event and place of its pool, and what they come to over boxes. */
export function tableWords(events: number, places: number): number {
  const boxes = Math.ceil(events / BOX_EVENTS);
  return places * TABLES * (events + (boxes + 1) * 2);
}

/** @param at where to. @param entries events of the tree, in the order of its boxes, all of one pool. */
export function writeTables(
  out: Uint32Array,
  at: number,
  entries: Uint32Array,
  { words, stride, rows, arms }: GatheredTable,
  { offsets, arms: candidates }: PoolTable,
  pool: number,
): void {
  const [first, end] = [offsets[pool], offsets[pool + 1]];
  const boxes = Math.ceil(entries.length / BOX_EVENTS);
  const sums = new Float64Array((end - first) * TABLES);
  const from = new Uint32Array(BOX_EVENTS);
  let to = at;
  let sumsAt = at + (end - first) * TABLES * entries.length;
  const writeSums = (): void => {
    for (let i = 0; i < sums.length; i++) {
      const high = Math.floor(sums[i] / 2 ** 32);
      out[sumsAt++] = sums[i] - high * 2 ** 32;
      out[sumsAt++] = high;
    }
  };
  for (let box = 0; box < boxes; box++) {
    writeSums();
    const last = Math.min(entries.length, (box + 1) * BOX_EVENTS);
    for (let s = box * BOX_EVENTS; s < last; s++) from[s % BOX_EVENTS] = rows[entries[s]] * arms * stride;
    const count = last - box * BOX_EVENTS;
    for (let n = 0; n < words.length; n++) {
      const table = words[n];
      for (let i = first, at = to + n; i < end; i++, at += count * TABLES) {
        const candidate = candidates[i] * stride;
        let sum = 0;
        for (let s = 0, place = at; s < count; s++, place += TABLES) {
          const word = table[from[s] + candidate];
          out[place] = word;
          sum += word;
        }
        sums[(i - first) * TABLES + n] += sum;
      }
    }
    to += (end - first) * count * TABLES;
  }
  writeSums();
}
