/**
 * @module-tag long
 *
 * Theorem 1 of Li et al. (WSDM 2011) for LinUCB on the digits: the first T valid events of a replay are distributed as T
 * events of the learner running on its own. `test/properties/replay-theory.test.ts` has ε-greedy and UCB1.
 */
import { expect, it } from 'vitest';
import { Draws } from '#dist/learner/draws.js';
import { linucb } from '#dist/learner/set/entries.js';
import { parseLearnerSet, prepareLearners } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM } from '#dist/random/threefry.js';
import { replay } from '#dist/replay.js';
import { PURPOSE, WorldDraws } from '#dist/simulate/draws.js';
import { D, readImages } from './digits.js';
import { reference } from './reference.js';

/** What an independent implementation found with draws of its own. */
interface MonteCarlo {
  R: number;
  stop: number;
  alpha: number;
  replay_mean: number;
  replay_se: number;
  online_mean: number;
  online_se: number;
}

const known = reference<MonteCarlo>('own_digits_unbiasedness2.json');
const { pixels, label } = readImages();
const [K, T, runs] = [10, known.stop, 300];
const entry = linucb({ alpha: known.alpha });

/** L images drawn at random with replacement, logged uniformly; the image of each event beside it. */
function world(seed: number, events: number): { log: EventLog; image: number[] } {
  const draws = new WorldDraws(seed);
  const image = Array.from({ length: events }, (_, t) => draws.below(pixels.length, t, PURPOSE.randomContext));
  const armIndex = Uint32Array.from(image, (_, t) => draws.below(K, t, PURPOSE.randomLogging));
  const values = new Float64Array(events * D);
  image.forEach((row, t) => {
    values.set(pixels[row], t * D);
  });
  const log = logFromColumns({
    armIndex,
    arms: K,
    payoff: image.map((row, t) => (label[row] === armIndex[t] ? 1 : 0)),
    propensity: new Float64Array(events).fill(1 / K),
    context: { values, dimension: D },
  });
  return { log, image };
}

/** ĝ of T events of the learner choosing freely: it sees what its own arm pays. */
async function live(run: number): Promise<number> {
  const { log, image } = world(1_000_000 + run, T);
  const [setting] = await prepareLearners(parseLearnerSet([entry]), log);
  const learner = setting.create(log, new Draws(0, run, STREAM.exploration));
  let total = 0;
  for (let t = 0; t < T; t++) {
    const arm = learner.choose(t, { arms: log.pools.arms, from: 0, to: K });
    const payoff = label[image[t]] === arm ? 1 : 0;
    learner.update(t, arm, payoff, payoff);
    total += payoff;
  }
  return total / T;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const standardError = (values: readonly number[]): number => {
  const m = mean(values);
  return Math.sqrt(values.reduce((sum, v) => sum + (v - m) ** 2, 0) / (values.length - 1) / values.length);
};

it(`LinUCB: the mean of the first ${T} valid events, over ${runs} replays of logs of their own, is that of it running live`, async () => {
  const replayed: number[] = [];
  const online: number[] = [];
  for (let run = 0; run < runs; run++) {
    // T valid events come from 10 T logged ones on average, give or take 190: 5,000 are enough but once in 10⁷ logs.
    const { log } = world(run, 5000);
    // Of 300 fair logs one may look unfair: in run 295 T matches took 4,896 events, which happens once in some 10⁵ logs.
    const options = { validEvents: T, device: 'cpu', threads: 1, assumeUniform: true } as const;
    const { learners } = await replay(log, [entry], options);
    expect(learners[0].matches).toBe(T);
    replayed.push(learners[0].mean as number);
    online.push(await live(run));
  }
  const errors = [standardError(replayed), standardError(online)];
  expect(Math.max(...errors)).toBeLessThan(0.002);
  expect(Math.abs(mean(replayed) - mean(online))).toBeLessThan(3 * Math.hypot(...errors));
  // Each side also agrees with the numbers found elsewhere.
  expect(Math.abs(mean(replayed) - known.replay_mean)).toBeLessThan(3 * Math.hypot(errors[0], known.replay_se));
  expect(Math.abs(mean(online) - known.online_mean)).toBeLessThan(3 * Math.hypot(errors[1], known.online_se));
}, 300_000);
