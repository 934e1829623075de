/** What values by weights would hide, and results say. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { distinctViews } from '#dist/log/views/distinct-views.js';
import { encodeNpy } from '#dist/policy/npy.js';
import {
  ALL_ESTIMATORS,
  columns,
  events,
  log,
  UNLOGGED,
  UNLOGGED_CHOICES,
  UNLOGGED_POLICIES,
} from './estimator-logs.js';
import { expectSame, folder } from './evaluate-streams.js';

const cpu = { device: 'cpu', threads: 1 } as const;
const policies = [{ family: 'constant' as const }];

describe('what values would hide', () => {
  const choices = (known: readonly number[]) => [
    {
      family: 'table' as const,
      keys: ['side'],
      tables: [{ name: 'half', choices: { left: 'a', right: known.length > 1 ? 'b' : 'c' } }],
    },
  ];
  const sided = logFromColumns({
    arm: Array.from({ length: 80 }, (_, t) => (t % 10 === 9 ? 'c' : 'ab'[t % 2])),
    payoff: Array.from({ length: 80 }, (_, t) => (t % 3 === 0 ? 1 : 0)),
    propensity: Array.from({ length: 80 }, (_, t) => (t % 10 === 9 ? 0.2 : 0.5)),
    candidates: Array.from({ length: 80 }, (_, t) => (t % 10 === 9 ? ['a', 'b', 'c'] : ['a', 'b'])),
    keys: { side: Array.from({ length: 80 }, (_, t) => (t % 4 < 2 ? 'left' : 'right')) },
  });

  it('says at how many events a policy chooses no candidate', async () => {
    const { policies: rows, warnings } = await evaluate({
      ...{ log: sided, policies: choices([1]), ...cpu, estimators: ['dr', 'dm'], rewardModel: 'mean' },
    });
    // Arm c is offered at every tenth event only.
    const right = Array.from({ length: 80 }, (_, t) => t).filter((t) => t % 4 >= 2 && t % 10 !== 9).length;
    expect(rows[0].withoutChoice).toBe(right);
    expect(warnings.join('\n')).toMatch(new RegExp(`1 policy chooses no candidate at some events .*at ${right}`));
    const whole = await evaluate({
      log: sided,
      policies: choices([1, 2]),
      ...cpu,
      estimators: 'dr',
      rewardModel: 'mean',
    });
    expect(whole.policies[0]).not.toHaveProperty('withoutChoice');
  });

  it('says at how many events a policy chooses what was never logged', async () => {
    const options = { policies: UNLOGGED_POLICIES, ...cpu, blocks: 10 } as const;
    for (const more of [{}, { estimators: 'dr', rewardModel: 'mean' }, ALL_ESTIMATORS] as const) {
      const { policies: rows, warnings, estimator } = await expectSame(UNLOGGED, { ...options, ...more }, [101]);
      expect(estimator.name).toBe('estimators' in more ? [more.estimators].flat()[0] : 'snips');
      const shares = [...rows].sort((a, b) => a.index - b.index).map(({ weights }) => weights?.noOverlap);
      expect(shares).toEqual(UNLOGGED_CHOICES.map((events) => events / UNLOGGED.events));
      const count = UNLOGGED_CHOICES.filter((events) => events > 0).length;
      expect(count).toBeGreaterThan(5);
      // Of constant d nothing is known but by a model.
      expect(warnings.join('\n')).toMatch(
        /at [\d.]+ % of the events it chooses an arm that was never logged: ips counts/,
      );
      expect(warnings.join('\n')).toMatch(new RegExp(`; ${'rewardModel' in more ? count - 1 : count - 2} more of 25 `));
    }
    const { policies: rows, warnings } = await evaluate({ log, policies, ...cpu, estimators: 'snips' });
    expect(rows.map(({ weights }) => weights?.noOverlap)).toEqual([0, 0]);
    expect(warnings.join('\n')).not.toMatch(/never logged/);
  });

  it('says how often a policy that draws is due to draw what was never logged', async () => {
    const L = UNLOGGED.events;
    const epsilon = 0.3;
    // d is one of four candidates at two events of three.
    const uniform = Array.from({ length: L }, (_, t) => t).filter((t) => t % 3 !== 0).length / 4 / L;
    const mixed = UNLOGGED_POLICIES.map((spec) => ({ ...spec, epsilon }));
    const [, linear] = UNLOGGED_POLICIES;
    const temperature = 1.5;
    const softened = { ...linear, temperature } as typeof linear;
    const { weights } = linear as unknown as { weights: number[][][] };
    const soft = weights.map((rows) => {
      const due = Array.from({ length: L }, (_, t) => {
        const x = [1, (t % 5) - 2, ((t * t) % 7) - 3];
        const powers = rows.map((row) => Math.exp(row.reduce((sum, w, j) => sum + w * x[j], 0) / temperature));
        return t % 3 === 0 ? 0 : powers[3] / (powers[0] + powers[1] + powers[2] + powers[3]);
      });
      return due.reduce((a, b) => a + b, 0) / L;
    });
    const due = [...UNLOGGED_CHOICES.map((events) => ((1 - epsilon) * events) / L + epsilon * uniform), ...soft];
    for (const more of [{ estimators: 'snips' }, { estimators: 'dr', rewardModel: 'mean' }] as const) {
      const options = { policies: [...mixed, softened], ...cpu, blocks: 10, ...more };
      const { policies: rows, warnings } = await expectSame(UNLOGGED, options, [101]);
      // A probability is rounded to 2⁻³¹, and exponentials are right to some units in the last place of an f64.
      for (const { index, weights } of rows)
        expect(Math.abs((weights?.noOverlap ?? -1) - due[index])).toBeLessThan(2 ** -31);
      expect(warnings.join('\n')).toMatch(/an arm that was never logged/);
    }
  });

  it('says so of mixtures that are made of sums as of those that are drawn event by event, and not of what nobody knows', async () => {
    const sets = [
      ['a', 'b', 'd'],
      ['a', 'b', 'c'],
      ['a', 'd', 'e'],
    ];
    const L = 90;
    const one = logFromColumns({
      arms: ['a', 'b', 'c', 'd', 'e'],
      arm: Array.from({ length: L }, (_, t) => (t % 9 === 3 ? 'b' : t % 9 === 4 ? 'c' : 'a')),
      payoff: Array.from({ length: L }, (_, t) => Number(t % 4 === 0)),
      propensity: Array.from({ length: L }, () => 0.4),
      candidates: Array.from({ length: L }, (_, t) => sets[t % 9 === 4 ? 1 : t % 9 === 3 ? 0 : t % 3]),
    });
    const epsilon = 0.25;
    const sizes = Array.from({ length: L }, (_, t) => (t % 9 === 4 ? 0 : t % 9 === 3 ? 1 : [1, 0, 2][t % 3]));
    const uniform = sizes.reduce((sum, size) => sum + size / 3, 0) / L;
    const chosen = ['a', 'd'].map((arm) => (arm === 'd' ? sizes.filter((size) => size > 0).length / L : 0));
    const logged = { family: 'probabilities' as const, of: 'logged' as const, file: join(folder, 'logged.npy') };
    writeFileSync(logged.file, encodeNpy(new Float64Array(L).fill(0.5), [L, 1]));
    const set = [{ family: 'constant' as const, arms: ['a', 'd'], epsilon }, logged];
    for (const estimators of [
      ['snips', 'ips'],
      ['snips', 'snips-clip'],
    ] as const) {
      const options = { log: one, policies: join(folder, 'set.json'), ...cpu, estimators };
      writeFileSync(options.policies, JSON.stringify(set));
      const more = estimators[1] === 'snips-clip' ? { clip: 2 } : {};
      const { policies: rows } = await evaluate({ ...options, ...more });
      const shares = [...rows].sort((a, b) => a.index - b.index).map(({ weights }) => weights?.noOverlap);
      chosen.forEach((share, p) => {
        expect(Math.abs((shares[p] ?? -1) - ((1 - epsilon) * share + epsilon * uniform))).toBeLessThan(2 ** -31);
      });
      expect(shares[2]).toBeUndefined();
    }
  });

  it('says how much weight clipping removes, and by how much values may be off', async () => {
    // Weights of arm b are 4/3 and 2, of a 2 and 4.
    const share = (arm: string, most: number): number => {
      const w = events.filter((one) => one.arm === arm).map(({ p }) => 1 / p);
      const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
      return 1 - sum(w.map((one) => Math.min(one, most))) / sum(w);
    };
    const of = async (payoffRange: readonly [number, number], clip: EvaluateOptions['clip']) => {
      const shifted = logFromColumns({
        ...{ ...columns, payoff: columns.payoff.map((r) => payoffRange[0] + r), payoffRange },
        propensity: events.map(({ p }) => p),
      });
      const estimators = ['ips-clip', 'snips-clip', 'dr-clip'] as const;
      const result = await evaluate({ log: shifted, policies, ...cpu, estimators, clip, rewardModel: 'mean' });
      const [a, b] = [...result.policies].sort((one, other) => one.index - other.index);
      return { a: a.estimates, b: b.estimates, text: result.warnings.join('\n') };
    };
    const { a, b, text } = await of([-2, 3], 3);
    for (const name of ['ips-clip', 'snips-clip', 'dr-clip'] as const) {
      // 3 is exact, as are 2 and 4; 4/3 is rounded by less than 10⁻⁹ of itself.
      expect(a[name]?.clippedShare).toBeCloseTo(share('a', 3), 14);
      expect(b[name]?.clippedShare).toBe(0);
    }
    const percent = (value: number): string => String(Number((100 * value).toPrecision(3)));
    const removed = `removes ${percent(share('a', 3))} % of the weight: a bias of up to ${share('a', 3).toPrecision(3)} × `;
    expect(text).toContain(`"constant a": ips-clip at 3 ${removed}the largest payoff, 3`);
    expect(text).toContain(`"constant a": snips-clip at 3 ${removed}the payoff range, 5`);
    expect(text).toContain(`"constant a": dr-clip at 3 ${removed}what the model is wrong by there`);
    const shares = [share('a', 1.5), share('b', 1.5)];
    expect((await of([0, 1], 1.5)).text).toMatch(
      /clip at 1\.5 removes .*; 1 more of 2 policies has more than 10 % removed/,
    );
    expect(Math.min(...shares)).toBeGreaterThan(0.1);
    // A tenth and less is in the result, and no warning.
    const little = await of([0, 1], 3.75);
    expect(little.a['ips-clip']?.clippedShare).toBeCloseTo(share('a', 3.75), 14);
    expect(share('a', 3.75)).toBeLessThan(0.1);
    expect(little.text).not.toMatch(/removes/);
  });

  it('says how few of many effective events paid, or did not', async () => {
    const text = async (payoff: (t: number) => number, payoffRange?: readonly [number, number]) => {
      const many = logFromColumns({
        arm: Array.from({ length: 600 }, (_, t) => 'ab'[t % 2]),
        payoff: Array.from({ length: 600 }, (_, t) => payoff(t)),
        payoffRange,
        propensity: Array(600).fill(0.5),
      });
      return (await evaluate({ log: many, policies, ...cpu, estimators: 'snips' })).warnings.join('\n');
    };
    // 300 events match each policy; of a 6 paid, of b 15.
    const few = (t: number): number => Number(t % 100 === 0 || t % 40 === 1);
    const said = '"constant a": the effective sample size is 300 of 300 matches, about 6 of which ';
    expect(await text(few)).toContain(`${said}paid: the value rests`);
    expect(await text((t) => 1 - few(t))).toContain(`${said}did not pay: the value rests`);
    expect(await text(few)).not.toContain('more of 2 policies');
    // Payoffs of more kinds have no rarer one.
    expect(await text((t) => few(t) / 2 + 0.25, [0, 1])).not.toMatch(/effective sample size/);
    expect(await text((t) => Number(t % 6 < 2))).not.toMatch(/effective sample size/);
  });

  it('draws from few blocks with a word', async () => {
    const drawn = { log: sided, policies, ...cpu, estimators: 'snips', interval: 'bootstrap' } as const;
    expect((await evaluate({ ...drawn, blocks: 5 })).warnings.join()).toMatch(/snips draws from 5 blocks/);
    expect((await evaluate({ ...drawn, blocks: 50 })).warnings.join()).not.toMatch(/draws from/);
  });

  it('does not weight views that were made one', async () => {
    const views = distinctViews(log);
    await expect(evaluate({ log: views, policies, ...cpu, estimators: 'snips' })).rejects.toThrow(
      /goes by propensities of events, and repeated views count as one/,
    );
    await expect(evaluate({ log: views, policies, ...cpu })).rejects.toThrow(/replay would be biased/);
  });
});
