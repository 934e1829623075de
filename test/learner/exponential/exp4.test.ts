import { describe, expect, it } from 'vitest';
import { exp4 } from '#dist/learner/exponential/exp4.js';
import type { Learner } from '#dist/learner/learner.js';
import type { EventLog } from '#dist/log/event-log.js';
import { policyFunctions } from '#dist/policy/functions.js';
import { among, exploration, plainLog } from '../helpers.js';

async function made(parameters: object, log: EventLog): Promise<Learner> {
  const valid = exp4.schema.parse(parameters);
  const ready = await exp4.prepare?.(valid, log);
  if (ready === undefined) throw new Error('exp4 prepares');
  structuredClone(ready); // as for a worker thread
  return exp4.create(ready, log, exploration());
}

const every = among(0, 1, 2);
const weightsOf = (one: Learner) => one.state().weights as number[];
const relative = (weights: number[]) => weights.map((w) => w / Math.max(...weights));
function expectClose(got: readonly number[], needed: readonly number[]): void {
  expect(got).toHaveLength(needed.length);
  for (const [i, x] of needed.entries()) expect(got[i]).toBeCloseTo(x, 12);
}

describe('exp4', () => {
  const log = plainLog(3, 10);
  const experts = [{ family: 'constant', arms: ['0', '1'] }, { family: 'uniform' }];

  it('updates as Figure 5 of Auer et al. (2002) says', async () => {
    const one = await made({ experts, gamma: 0.3 }, log);
    expect(one.state().experts).toEqual(['constant 0', 'constant 1', 'uniform']);
    one.choose(0, every);
    // Advice (1,0,0), (0,1,0), (⅓,⅓,⅓), all weights 1: p_1 = 0.7 (1 + ⅓)/3 + 0.1
    const p1 = (0.7 * (1 + 1 / 3)) / 3 + 0.1;
    one.update(0, 1, 1, 1);
    const w = [1, Math.exp((0.3 / p1) * (1 / 3)), Math.exp((0.3 / 3 / p1) * (1 / 3))];
    expectClose(weightsOf(one), relative(w));
    one.choose(1, every);
    const W = w[0] + w[1] + w[2];
    const p2 = (0.7 * (w[2] / 3)) / W + 0.1;
    one.update(1, 2, 1, 1);
    expectClose(weightsOf(one), relative([w[0], w[1], w[2] * Math.exp((0.3 / 3 / p2) * (1 / 3))]));
  });

  it('draws arms with its probabilities', async () => {
    const one = await made({ experts, gamma: 0.3 }, log);
    const p = [(0.7 * (1 + 1 / 3)) / 3 + 0.1, (0.7 * (1 + 1 / 3)) / 3 + 0.1, (0.7 * (1 / 3)) / 3 + 0.1];
    const counts = [0, 0, 0];
    const n = 40_000;
    // Events beyond the log serve for constant and uniform experts.
    for (let t = 0; t < n; t++) counts[one.choose(t, every)]++;
    for (const [a, count] of counts.entries()) {
      expect(Math.abs(count - n * p[a])).toBeLessThan(4 * Math.sqrt(n * p[a] * (1 - p[a])));
    }
  });

  it('takes an expert without a candidate for a uniform one', async () => {
    const pools = plainLog(3, 4, {
      candidates: {
        pools: [
          [0, 1, 2],
          [0, 2],
        ],
        pool: [1, 1, 1, 0],
      },
    });
    const one = await made({ experts: [{ family: 'constant', arms: ['0', '1'] }], gamma: 0.4 }, pools);
    one.choose(0, among(0, 2));
    // Advice (1, 0) and (½, ½): p_0 = 0.6 · 0.75 + 0.2
    one.update(0, 0, 1, 1);
    const p = 0.6 * 0.75 + 0.2;
    expectClose(weightsOf(one), relative([Math.exp((0.4 / p) * 0.5), Math.exp((0.4 / 2 / p) * 0.5)]));
  });

  it('takes functions of the context as experts', async () => {
    const contexts = plainLog(2, 4, { context: [[0], [1], [0], [1]] });
    const set = [policyFunctions({ follow: (x) => x[0], avoid: (x) => 1 - x[0] })];
    const one = await made({ experts: set, gamma: 0.5 }, contexts);
    one.choose(1, among(0, 1));
    one.update(1, 1, 1, 1); // event 1 has context 1: `follow` was right
    const [follow, avoid] = weightsOf(one);
    expect(follow).toBe(1);
    expect(avoid).toBeCloseTo(Math.exp(-0.5 / 0.5 / 2), 12);
  });

  it('names faults of its experts by their path', async () => {
    const faults = (set: unknown) =>
      exp4.schema.safeParse({ experts: set }).error?.issues.map(({ path, message }) => [path, message]);
    expect(faults([{ family: 'constant' }, { family: 'linear', weights: 5 }])).toEqual([
      [['experts', 1, 'weights'], 'weights are of no known form'],
    ]);
    expect(faults([])).toEqual([[['experts'], 'the policy set is empty']]);
    await expect(made({ experts: [{ family: 'constant', arms: ['9'] }] }, log)).rejects.toThrow(/experts\[0\]\.arms/);
  });

  it('looks up the key columns of its experts', () => {
    const table = { family: 'table', keys: ['segment'], tables: [{ choices: { a: '0' } }] };
    expect(exp4.keyColumns?.(exp4.schema.parse({ experts: [table] }))).toEqual(['segment']);
  });
});
