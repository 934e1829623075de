/** Payoffs that rounding would eat are refused, and honest ones never are. */
import { expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { inspectLog } from '#dist/open/inspect.js';
import { replay } from '#dist/replay.js';
import { generator } from '../../cases/draws.js';

const CONSTANT = [{ family: 'constant' as const }];

function logOf(payoff: readonly number[], payoffRange?: [number, number]) {
  return logFromColumns({ arm: payoff.map((_, t) => 'ab'[t % 2]), payoff, payoffRange });
}

const run = (payoff: readonly number[], options: { stretchEvents?: number } = {}, range?: [number, number]) =>
  evaluate({ log: logOf(payoff, range), policies: CONSTANT, device: 'cpu', assumeUniform: true, ...options });

const small = (outlier: number, at = 5) =>
  Array.from({ length: 40 }, (_, t) => (t === at ? outlier : [0.0213, 0.0307, 0, 0.0113][t % 4] + Math.sqrt(t) * 1e-4));

it.each([1e9, 1e6, 1e4, 300, -1e9, -300])(
  'an outlier of %s among payoffs of 0.02 is refused, with its row',
  async (outlier) => {
    for (const options of [{}, { stretchEvents: 7 }]) {
      await expect(run(small(outlier), options)).rejects.toThrow(
        new RegExp(
          `^row 5, column "payoff": one payoff is so large that rounding eats the others\\n  got:    ${outlier} among`,
        ),
      );
    }
    // A replica that retains the outlier itself is not moved by what it does to small payoffs.
    if (Math.abs(outlier) < 1e6) return;
    await expect(
      replay(logOf(small(outlier)), [{ algorithm: 'emp' }], { device: 'cpu', assumeUniform: true }),
    ).rejects.toThrow(/rounding eats/);
  },
);

it('an outlier that leaves the others 10 million steps is none', async () => {
  const { policies } = await run(small(10));
  const exact = small(10).filter((_, t) => t % 2 === 0);
  const value = policies.find(({ name }) => name.endsWith(' a'))?.value ?? 0;
  const mean = exact.reduce((sum, r) => sum + r, 0) / exact.length;
  expect(Math.abs(value / mean - 1)).toBeLessThan(1e-6);
});

it('a wide declared range costs nothing', async () => {
  const payoff = small(0.02);
  const { policies } = await run(payoff, {}, [-1e9, 1e9]);
  const mean = payoff.filter((_, t) => t % 2 === 1).reduce((sum, r) => sum + r, 0) / 20;
  expect(policies.find(({ name }) => name.endsWith(' b'))?.value).toBeCloseTo(mean, 9);
});

it('inspect warns, with the exact step where there is one', () => {
  const { warnings } = inspectLog(logOf([1e9, 0.02, 0.03, 0.01]));
  expect(warnings.join()).toMatch(/rounded to steps of 0\.23.*exact steps of 0\.01 would be 100000000000 in number/);
  expect(inspectLog(logOf(small(0.02))).warnings).toEqual([]);
});

it('honest continuous payoffs are never refused: few matches, values near 0, either sign', async () => {
  const unit = generator(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
  for (const draw of [
    unit,
    () => 2 * unit() - 1,
    normal,
    () => Math.exp(1.5 * normal()),
    () => unit() ** 8,
    () => 1e-7 * unit(),
  ]) {
    for (const events of [2, 3, 40, 2000]) {
      const payoff = Array.from({ length: events }, draw);
      await expect(run(payoff)).resolves.toBeDefined();
    }
  }
});
