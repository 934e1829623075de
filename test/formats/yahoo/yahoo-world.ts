/** Small clean logs of R6A and R6B for the reader's tests, with what each event is. */

import { WorldDraws } from '#dist/simulate/draws.js';
import { r6aPool, r6bPool, writeR6aLines, writeR6bLines } from '#dist/simulate/yahoo-text.js';

/** One event, as the tests compare them. */
export interface PlainEvent {
  row: number;
  seconds: number;
  displayed: string;
  click: number;
  /** In the order of the context's columns. */
  user: number[];
  /** Features of each article, in the order of the columns; none for R6B. */
  pool: Map<string, number[]>;
}

export interface PlainLog {
  text: Buffer;
  events: PlainEvent[];
}

export type Format = 'r6a' | 'r6b';

/** A number of six decimals, as the text has it. */
const six = (unit: number): number => Math.round(unit * 1e6) / 1e6;

/** Pools of 3 to 9 articles, unsorted, that change every 40 events; features that change every 100. */
export function plainLog(format: Format, events: number, seed = 1): PlainLog {
  const draws = new WorldDraws(seed);
  const articles = (batch: number): number[] => {
    const count = 3 + draws.below(7, batch, 1);
    return Array.from({ length: count }, (_, i) => 109_500 + ((batch * 5 + i * 7) % 31));
  };
  const featuresOf = (id: number, version: number): number[] => [
    ...[0, 1, 2, 3, 4].map((j) => six(draws.unit(id, 8 + version * 8 + j))),
    1,
  ];
  const columns = {
    seconds: new Float64Array(events),
    displayed: new Float64Array(events),
    click: new Uint8Array(events),
    pool: new Uint32Array(events),
    pools: [] as Uint8Array[],
  };
  const user = new Float64Array(events * 6);
  const lists: number[][] = [];
  const list: PlainEvent[] = [];
  let poolKey = '';
  for (let t = 0; t < events; t++) {
    const ids = articles(Math.floor(t / 40));
    const version = Math.floor(t / 100);
    const key = `${Math.floor(t / 40)} ${version}`;
    if (key !== poolKey) {
      poolKey = key;
      columns.pools.push(
        format === 'r6a'
          ? r6aPool(
              ids,
              ids.flatMap((id) => featuresOf(id, version)),
            )
          : r6bPool(ids),
      );
    }
    columns.pool[t] = columns.pools.length - 1;
    columns.seconds[t] = 1_241_160_900 + 300 * Math.floor(t / 16);
    columns.displayed[t] = ids[draws.below(ids.length, t, 2)];
    columns.click[t] = draws.unit(t, 3) < 0.3 ? 1 : 0;
    const dense = Array.from({ length: 6 }, (_, j) => (j === 5 ? 1 : six(draws.unit(t, 0x100 + j))));
    user.set(dense, t * 6);
    // A third of R6B's users are not logged in; others list their features in no order.
    const features = [1];
    for (let j = 0; t % 3 !== 0 && j < 5; j++) features.push(2 + ((t * 13 + j * 29) % 135));
    lists.push(features);
    const bits = Array.from({ length: 136 }, (_, j) => (features.includes(j + 1) ? 1 : 0));
    list.push({
      row: t,
      seconds: columns.seconds[t],
      displayed: String(columns.displayed[t]),
      click: columns.click[t],
      user: format === 'r6a' ? dense : bits,
      pool: new Map(ids.map((id) => [String(id), format === 'r6a' ? featuresOf(id, version) : []])),
    });
  }
  const userOffsets = [0];
  for (const features of lists) userOffsets.push(userOffsets[userOffsets.length - 1] + features.length);
  const bytes =
    format === 'r6a'
      ? writeR6aLines({ ...columns, user }, 0, events)
      : writeR6bLines({ ...columns, userFeatures: lists.flat(), userOffsets }, 0, events);
  return { text: Buffer.from(bytes), events: list };
}
