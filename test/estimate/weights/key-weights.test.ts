/** Propensities by the values of key columns: right logs are left alone, wrong parts are named. */

import { describe, expect, it } from 'vitest';
import type { EventNumbers } from '#dist/estimate/event-numbers.js';
import { KeyWeights } from '#dist/estimate/weights/key-weights.js';
import { ARMS, numbersOf, uniforms } from '../world.js';

const LEVELS = ['desk', 'phone', 'tablet'];

interface World {
  /** Probabilities of the arms, by level. */
  readonly shares: readonly (readonly number[])[];
  /** What the log has in place of p. */
  readonly written?: (p: number, level: number) => number;
  readonly events?: number;
}

function log(seed: number, { shares, written = (p) => p, events = 3000 }: World): EventNumbers {
  const random = uniforms(seed);
  const code = new Uint32Array(events);
  const drawn = Array.from({ length: events }, (_, t) => {
    const level = Math.floor(random() * LEVELS.length);
    code[t] = level;
    let [u, arm] = [random(), 0];
    while (arm < 2 && u >= shares[level][arm]) u -= shares[level][arm++];
    return { k: 0, p: written(shares[level][arm], level), arm, choice: 0 };
  });
  return { ...numbersOf(drawn), keys: new Map([['device', { levels: LEVELS, code }]]) };
}

function warnings(seed: number, world: World): string[] {
  const numbers = log(seed, world);
  const check = new KeyWeights({ ids: ARMS }, numbers.keys);
  check.add(numbers);
  return check.warnings();
}

const SKEWED = [
  [0.9, 0.08, 0.02],
  [0.2, 0.3, 0.5],
  [0.98, 0.01, 0.01],
];

describe('propensities by the values of a key', () => {
  it('says nothing of 400 logs whose propensities are right, short and long', () => {
    const accused = Array.from({ length: 400 }, (_, seed) =>
      warnings(seed, { shares: SKEWED, events: seed % 2 === 0 ? 3000 : 300 }),
    );
    // That an arm is missing somewhere is no accusation.
    expect(accused.flat().filter((text) => !text.startsWith('arms were never logged'))).toEqual([]);
  });

  it('names the value whose propensities are those of something else', () => {
    // Phones have the propensities of desks, whose arms they do not show.
    const wrong = (p: number, level: number) => (level === 1 ? (SKEWED[0][SKEWED[1].indexOf(p)] ?? p) : p);
    const [text, ...more] = warnings(1, { shares: SKEWED, written: wrong });
    expect(text).toMatch(
      /it is more where device "phone": [\d.]+, while 3 are offered\. These events have other propensities/,
    );
    expect(more).toEqual([]);
  });

  it('sees propensities that are all too small, and says nothing of uniform ones', () => {
    const constant = warnings(1, { shares: SKEWED, written: () => 0.25 });
    expect(constant.join()).toMatch(/device "\w+": 4, while 3 are offered; .*4, while 3/);
    expect(warnings(1, { shares: SKEWED.map(() => [1 / 3, 1 / 3, 1 / 3]) })).toEqual([]);
  });

  it('names arms that a value never shows, though others do', () => {
    const shares = [
      [0.5, 0.5, 0],
      [0.3, 0.3, 0.4],
      [0.4, 0.3, 0.3],
    ];
    const texts = warnings(3, { shares });
    expect(texts.at(-1)).toMatch(
      /^arms were never logged in some places that offer them: "c" where device is "desk", of [\d,]+ events\. /,
    );
    // An arm that is as rare elsewhere may be missing by chance.
    const rare = [[0.5, 0.5, 0], ...[1, 2].map(() => [0.5, 0.495, 0.005])];
    expect(warnings(3, { shares: rare }).join()).not.toMatch(/never logged/);
  });

  it('is the same in batches', () => {
    const whole = log(5, { shares: SKEWED, written: (p) => 0.7 * p });
    const check = new KeyWeights({ ids: ARMS }, whole.keys);
    for (let from = 0; from < whole.events; from += 700) {
      const to = Math.min(whole.events, from + 700);
      const code = whole.keys?.get('device')?.code.subarray(from, to) ?? new Uint32Array(0);
      check.add({
        ...whole,
        events: to - from,
        arm: whole.arm.subarray(from, to),
        propensity: whole.propensity?.subarray(from, to) ?? null,
        keys: new Map([['device', { levels: LEVELS, code }]]),
      });
    }
    const once = new KeyWeights({ ids: ARMS }, whole.keys);
    once.add(whole);
    expect(once.warnings()).toHaveLength(1);
    expect(check.warnings()).toEqual(once.warnings());
  });
});
