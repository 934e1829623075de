/** What must not change an answer: order of events, scale of weights, order of policies; and what a constant payoff gives. */
import fc from 'fast-check';
import { afterAll, describe, expect } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { inTwoSizes } from '../long.js';
import { invariances } from './invariances.js';
import { linearWeights, logOptions, makeWorld, rebuilt } from './worlds.js';

const cpu = new CpuBackend({ threads: 1 });
afterAll(() => cpu.close());

describe('on the CPU', () => invariances(() => cpu, [30, 150]));

describe('a constant payoff c gives exactly c', () => {
  const interesting = [0, 1, 0.1, -3.7, 0.30000000000000004, 1 / 3, Math.PI, 1e-300, -1e300, 5e-324, Number.MAX_VALUE];
  const payoff = fc.oneof(fc.constantFrom(...interesting), fc.double({ noNaN: true, noDefaultInfinity: true }));

  inTwoSizes('for every policy with matches', [30, 200], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(logOptions(1, 200), payoff, async (options, c) => {
        const { log } = await makeWorld(options);
        const weights = { data: linearWeights(options, 5), shape: [5, options.arms, options.dimension] };
        const { policies } = await evaluate({
          log: withPayoff(log, c),
          policies: [
            { family: 'linear', weights },
            { family: 'constant' },
            { family: 'uniform', seed: 1, replicas: 2 },
          ],
          device: 'cpu',
          // One random log in a thousand looks not uniform.
          assumeUniform: true,
        });
        // −0 is 0: no payoff differs by its sign alone.
        const off = policies.filter(({ matches, value }) => (matches === 0 ? value !== null : value !== c + 0));
        expect(off).toEqual([]);
      }),
      { numRuns, examples: interesting.map((c) => [{ events: 100, arms: 3, dimension: 2, seed: 1 }, c]) },
    );
  });
});

/** The log with the same payoff at every event. */
function withPayoff(log: EventLog, c: number): EventLog {
  return rebuilt(
    log,
    Uint32Array.from({ length: log.events }, (_, t) => t),
    c,
  );
}
