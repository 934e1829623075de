/** Where nothing is known of a policy, the interval is the whole range, whatever a formula makes of it. */
import { describe, expect, it } from 'vitest';
import { type Event, estimate } from './world.js';

const EVENTS: Event[] = Array.from({ length: 60 }, (_, t) => ({
  k: t % 3 === 0 ? 1 : 0,
  p: 0.25,
  arm: t % 2,
  choice: 0,
  q: [0.3 + (t % 5) / 50, 0.2, 0.1],
}));
const INTERVALS = ['effective-clopper-pearson', 'normal', 'fay-feuer', 'bootstrap'];

describe.each(INTERVALS)('%s', (interval) => {
  it.each(['dr', 'sndr'])('of %s without a match: the model alone is no evidence', (name) => {
    const { row } = estimate(
      EVENTS.map((event) => ({ ...event, choice: 2 })),
      { names: [name], interval },
    );
    expect(row.value).toBeCloseTo(0.1, 9);
    expect(row.interval).toEqual([0, 1]);
  });

  it.each(['snips', 'dr'])('of %s over a single group of users: one block tells of no error', (name) => {
    const { row } = estimate(EVENTS, { names: [name], interval, dependent: true, block: EVENTS.length });
    expect(row.standardError).toBe(null);
    expect(row.interval).toEqual([0, 1]);
    const [low, high] = estimate(EVENTS, { names: [name], interval, dependent: true, block: 3 }).row.interval;
    expect(high - low).toBeLessThan(1);
  });
});
