/** Contexts whose regressions lose their digits in f64, against solutions known without rounding. */
import { expect, it } from 'vitest';
import { linucb } from '#dist/learner/linear/linucb.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { replay } from '#dist/replay.js';
import { learnerOf, thetaOf } from './helpers.js';

const EVENTS = 300;

/** A price in euros and in cents, and a constant. */
function prices(scale: number) {
  const euros = Array.from({ length: EVENTS }, (_, t) => scale * (1_000_000 + ((t * 7919) % 99_991)));
  return logFromColumns({
    armIndex: euros.map((_, t) => (t * 5 + (t >> 3)) % 3),
    arms: 3,
    payoff: euros.map((_, t) => (t % 7 < 3 ? 1 : 0)),
    context: euros.map((e) => [e, 100 * e, 1]),
  });
}

it('equal columns but for a factor share the weight in its proportion, to twelve digits', () => {
  const log = prices(1);
  const learner = learnerOf(linucb, log);
  for (let t = 0; t < EVENTS; t++) learner.update(t, log.arm[t], log.payoff.steps[t], log.payoff.steps[t]);
  // Least squares move θ by some uκ(A), 2⁻¹⁰⁴ · 10¹⁸ here; predictions by its root.
  for (const [eur, cent] of thetaOf(learner)) expect(cent / eur / 100).toBeCloseTo(1, 12);
  expect(learner.numerics?.()).toMatchObject({ trouble: null });
  expect(learner.numerics?.().largest.condition).toBeGreaterThan(1e17);
});

it('halving units and prior alike changes nothing', async () => {
  // x → x/2 and λ → λ/4 scale A by 1/4, and 2 is a power of 2: all decisions are the same in exact arithmetic.
  const retained = async (scale: number, lambda: number) => {
    const log = prices(scale);
    // The constant must be halved too.
    const values = Float64Array.from(log.contexts.values, (x, i) => (i % 3 === 2 ? scale : x));
    const scaled = { ...log, contexts: { ...log.contexts, values } };
    const options = { device: 'cpu', replicas: true, assumeUniform: true } as const;
    const { learners } = await replay(scaled, [{ algorithm: 'linucb', lambda }], options);
    return learners[0].replicas?.[0].retained;
  };
  expect(await retained(0.5, 0.25)).toEqual(await retained(1, 1));
});

it('batches make the same decisions as the whole log', async () => {
  const options = { device: 'cpu', replicas: true, assumeUniform: true, state: true, verify: true } as const;
  const learners = [{ algorithm: 'linucb' }, { algorithm: 'lin-thompson' }, { algorithm: 'cemp' }] as const;
  const whole = await replay(prices(1), learners, options);
  const batches = await replay(streamOf(prices(1)), learners, { ...options, stretchEvents: 37 });
  expect(batches.learners).toEqual(whole.learners);
  expect(batches.engine.verified).toMatchObject({ passed: true, differing: 0 });
});
