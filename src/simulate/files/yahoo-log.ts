/** An exploration log as text of R6A or R6B, batch by batch. */

import { InputError } from '../../errors.js';
import { R6A_FEATURES } from '../../formats/yahoo/features.js';
import { PURPOSE, WorldDraws } from '../draws.js';
import type { World } from '../world/world.js';
import { r6aPool, r6bPool, writeR6aLines, writeR6bLines } from '../yahoo-text.js';
import { VisitBatch } from './visit-batch.js';

/** Events of a batch: about 1.5 MB of text. */
export const BATCH = 1024;
/** Time stands still for so many milliseconds in the files of Yahoo! */
const STEP = 300_000;

/**
 * Lines of all events, in batches.
 *
 * @throws InputError for logging that is not uniform: the formats have no place for propensities.
 */
export function* yahooLines(world: World, visits: number, traffic: number): Generator<Uint8Array, void> {
  const { kind, logging, seed } = world.settings;
  if (logging.policy !== 'uniform') {
    throw new InputError({
      problem: 'Yahoo! files have no place for the probability of what was shown',
      got: `logging by ${logging.policy}`,
      needed: 'uniform logging, or another format',
      hint: 'Parquet or CSV',
    });
  }
  const batch = new VisitBatch(world, visits, traffic, BATCH);
  const draws = new WorldDraws(seed);
  const seconds = new Float64Array(BATCH);
  const pools: Uint8Array[] = [];
  let made = 0;
  while (batch.next()) {
    const { count, page, displayed, click, context: user, features: userFeatures, offsets: userOffsets } = batch;
    for (let i = 0; i < count; i++) seconds[i] = Math.floor(batch.time[i] / STEP) * (STEP / 1000);
    // Pages come in order: earlier ones are never needed again.
    for (; made < page[0]; made++) delete pools[made];
    for (let s = page[0]; s <= page[count - 1]; s++) pools[s] ??= poolText(world, s, draws);
    const events = { seconds, displayed, click, pool: page, pools };
    yield kind === 'r6a'
      ? writeR6aLines({ ...events, user }, 0, count)
      : writeR6bLines({ ...events, userFeatures, userOffsets }, 0, count);
  }
}

/** The page's articles in an order of its own: files are not sorted, and the one displayed stands anywhere. */
function poolText({ pages, ids, armFeatures }: World, s: number, draws: WorldDraws): Uint8Array {
  const order = pages.articles[s].slice();
  for (let i = order.length - 1; i > 0; i--) {
    const k = draws.below(i + 1, s, PURPOSE.pageOrder + i);
    [order[i], order[k]] = [order[k], order[i]];
  }
  const shown = Uint32Array.from(order, (a) => ids[a]);
  if (armFeatures === null) return r6bPool(shown);
  const features = new Float64Array(order.length * R6A_FEATURES);
  for (const [i, a] of order.entries())
    features.set(armFeatures.values.subarray(a * R6A_FEATURES, (a + 1) * R6A_FEATURES), i * R6A_FEATURES);
  return r6aPool(shown, features);
}
