/** An exploration log, and the truth about it, as tables; with the mapping that reads the log back. */

import type { Mapping } from '../../log/mapping.js';
import { SEGMENT } from '../world/visit-log.js';
import type { World } from '../world/world.js';
import type { Table, TableArray, TableColumn } from './table-file.js';
import { VisitBatch } from './visit-batch.js';

const FIRST_COLUMNS: readonly TableColumn[] = [
  { name: 'time', type: 'f64', sql: 'epoch_ms(CAST("time" AS BIGINT))' },
  { name: 'user', type: 'u32' },
  { name: SEGMENT, type: 'u8' },
  { name: 'article', type: 'u32' },
  { name: 'click', type: 'u8' },
  { name: 'propensity', type: 'f64' },
  { name: 'page', type: 'u32' },
];

/** One row per visit: {@link FIRST_COLUMNS}, then the user's features. */
export function logTable(world: World, visits: number, traffic: number, onRows: (rows: number) => void): Table {
  const isR6a = world.settings.kind === 'r6a';
  const { dimension } = world;
  let batch: VisitBatch | null = null;
  return {
    columns: [...FIRST_COLUMNS, ...world.columns.map((name): TableColumn => ({ name, type: isR6a ? 'f64' : 'u8' }))],
    fill(columns, room) {
      batch ??= new VisitBatch(world, visits, traffic, room);
      if (!batch.next()) return 0;
      const { count, time, user, segment, displayed, click, propensity, page } = batch;
      const first: TableArray[] = [time, user, segment, displayed, click, propensity, page];
      for (const [i, values] of first.entries()) columns[i].set(values.subarray(0, count));
      const features = columns.slice(first.length);
      if (isR6a) {
        for (const [j, column] of features.entries())
          for (let i = 0; i < count; i++) column[i] = batch.context[i * dimension + j];
      } else {
        for (const column of features) column.fill(0, 0, count);
        for (let i = 0; i < count; i++)
          for (let k = batch.offsets[i]; k < batch.offsets[i + 1]; k++) features[batch.features[k] - 1][i] = 1;
      }
      onRows(count);
      return count;
    },
  };
}

/** How {@link logTable} is read. */
export function logMapping(world: World): Mapping {
  const sets = world.pages.articles.map((page, s) => [String(s), Array.from(page, (a) => world.ids[a])] as const);
  return {
    arm: 'article',
    payoff: 'click',
    propensity: 'propensity',
    context: [...world.columns],
    candidates: { id: 'page', sets: Object.fromEntries(sets) },
    time: 'time',
    user: 'user',
    keys: [SEGMENT],
    payoffRange: [0, 1],
    arms: [...world.ids],
  };
}

/** One row per visit and candidate: number of the visit (0 for the log's first), article, probability of a click. */
export function truthTable(world: World, visits: number, traffic: number, onRows: (rows: number) => void): Table {
  const batch = new VisitBatch(world, visits, traffic, 1024);
  const { articles } = world.pages;
  let event = -1;
  let place = 0;
  let page: Uint32Array = new Uint32Array(0);
  return {
    columns: [
      { name: 'event', type: 'u32' },
      { name: 'arm', type: 'u32' },
      { name: 'probability', type: 'f64' },
    ],
    fill([events, arms, probabilities], room) {
      let row = 0;
      for (; row < room; row++, place++) {
        if (place === page.length) {
          event++;
          if (event === batch.from + batch.count) {
            if (!batch.next()) {
              event--;
              break;
            }
            onRows(batch.count);
          }
          page = articles[batch.page[event - batch.from]];
          place = 0;
        }
        events[row] = event;
        arms[row] = world.ids[page[place]];
        probabilities[row] = batch.clickProbability(event - batch.from, page[place]);
      }
      return row;
    },
  };
}
