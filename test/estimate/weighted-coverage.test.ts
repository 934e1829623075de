/**
 * How often intervals of weighted values hold the truth: 1,000 logs of a logging policy that favours one arm in each of four groups of
 * events, at three strengths; the policy chooses another arm in half of them. Draws are Threefry's, so that counts are always the same.
 */

import { describe, expect, it } from 'vitest';
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';

import { LONG } from '../long.js';
import { ARMS, type Event, estimate } from './world.js';

const LOGS = 1000;
const EVENTS = 2000;
const CONFIDENCE = 0.95;
/** Click rates by group and arm. */
const RATES = [
  [0.05, 0.03, 0.02],
  [0.02, 0.06, 0.03],
  [0.03, 0.04, 0.08],
  [0.06, 0.02, 0.04],
];
const FAVOURITE = [0, 1, 2, 0];
const CHOICE = [0, 1, 0, 1];
const TRUTH = CHOICE.reduce((sum, arm, group) => sum + RATES[group][arm] / 4, 0);
/** What a model might say: half of it right. */
const MODEL = RATES.map((row) => row.map((rate) => 0.02 + rate / 2));

function* logs(rare: number): Generator<Event[]> {
  const out = new Uint32Array(2);
  for (let log = 0; log < LOGS; log++) {
    const draw = (t: number, purpose: number): number => {
      threefry2x32(log, STREAM.simulation, t, purpose, out);
      return toUnit(out[0], out[1]);
    };
    yield Array.from({ length: EVENTS }, (_, t) => {
      const group = t % 4;
      const others = ARMS.map((_, a) => a).filter((a) => a !== FAVOURITE[group]);
      const u = draw(t, 0);
      const arm = u < rare ? others[0] : u < 2 * rare ? others[1] : FAVOURITE[group];
      const p = arm === FAVOURITE[group] ? 1 - 2 * rare : rare;
      const k = draw(t, 1) < RATES[group][arm] ? 1 : 0;
      return { k, p, arm, choice: CHOICE[group], q: MODEL[group] };
    });
  }
}

const NAMES = ['snips', 'ips', 'dr', 'sndr'] as const;

/** Share of logs whose interval holds the truth, by estimator. */
function coverage(rare: number, interval: string): Record<string, number> {
  const held = Object.fromEntries(NAMES.map((name) => [name, 0]));
  for (const events of logs(rare)) {
    const { estimates } = estimate(events, { names: NAMES, interval, confidence: CONFIDENCE, block: EVENTS }).row;
    for (const name of NAMES) {
      const [low, high] = estimates[name]?.interval ?? [1, 0];
      if (low <= TRUTH && TRUTH <= high) held[name] += 1 / LOGS;
    }
  }
  return held;
}

/** Three standard errors of a share of so many logs. */
const chance = (share: number): number => 3 * Math.sqrt((share * (1 - share)) / LOGS);

describe.each([
  ['weights up to 7', 0.15],
  ['weights up to 50', 0.02],
  ['weights up to 200', 0.005],
])('of logs with %s', (_, rare) => {
  it('effective Clopper-Pearson holds the truth as often as it says: 94 % or more', LONG, () => {
    for (const [name, share] of Object.entries(coverage(rare, 'effective-clopper-pearson')))
      expect(share, name).toBeGreaterThan(0.94 - chance(0.94));
  });
});

it('the normal interval falls short where few heavy events paid', LONG, () => {
  const { snips } = coverage(0.005, 'normal');
  expect(snips).toBeLessThan(CONFIDENCE - chance(CONFIDENCE));
});
