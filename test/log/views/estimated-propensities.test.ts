/** Propensities from shares of arms, where a log has none. */

import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { uniforms } from '../../estimate/world.js';

const cpu = { device: 'cpu', threads: 1 } as const;
const policies = [{ family: 'constant' as const }];

/** Phones are shown "a" nine times of ten, others three times; "a" pays more to phones. */
function columns(events: number, seed = 1): LogColumns & { readonly propensity: number[] } {
  const random = uniforms(seed);
  const device = Array.from({ length: events }, () => (random() < 0.5 ? 'phone' : 'desk'));
  const a = device.map((one) => (one === 'phone' ? 0.9 : 0.3));
  const arm = a.map((share) => (random() < share ? 'a' : 'b'));
  const rate = (t: number): number => (arm[t] === 'a' ? (device[t] === 'phone' ? 0.8 : 0.2) : 0.4);
  return {
    arm,
    payoff: arm.map((_, t) => (random() < rate(t) ? 1 : 0)),
    propensity: arm.map((one, t) => (one === 'a' ? a[t] : 1 - a[t])),
    keys: { device },
  };
}

const without = ({ propensity, ...rest }: ReturnType<typeof columns>): LogColumns => rest;

async function values(log: LogColumns, more: Partial<EvaluateOptions> = {}) {
  const result = await evaluate({ log: logFromColumns(log), policies, ...cpu, ...more });
  return {
    result,
    values: [...result.policies].sort((x, y) => x.index - y.index).map(({ value }) => value ?? Number.NaN),
  };
}

describe('estimated propensities', () => {
  const log = columns(20_000);
  const estimatePropensities = ['device'];

  it('are the shares of arms where candidates and keys are the same', async () => {
    const { result, values: found } = await values(without(log), { estimatePropensities });
    expect(result.estimator.name).toBe('snips');
    expect(result.log.estimatedPropensities).toEqual({ keys: ['device'], cells: 2, few: 0 });
    // Weighted by such shares every cell counts as often as it occurs: the mean over devices of an arm's mean payoff there.
    const { arm, payoff } = log;
    const device = Array.from(log.keys?.device ?? []);
    const needed = ['a', 'b'].map((id) => {
      const cells = ['phone', 'desk'].map((one) => {
        const own = device.flatMap((value, t) => (value === one && arm?.[t] === id ? [payoff[t]] : []));
        const share = device.filter((value) => value === one).length / device.length;
        return share * (own.reduce((x, y) => x + y, 0) / own.length);
      });
      return cells[0] + cells[1];
    });
    found.forEach((value, i) => {
      expect(value).toBeCloseTo(needed[i], 6);
    });
    // The truth is (0.8 + 0.2)/2 for "a"; the mean payoff of its events, which are mostly phones', is 0.65.
    expect(Math.abs(found[0] - 0.5)).toBeLessThan(0.02);
    const logged = await values(log);
    found.forEach((value, i) => {
      expect(Math.abs(value - logged.values[i])).toBeLessThan(0.02);
    });
  });

  it('are said to be, with what they rest on', async () => {
    const { result } = await values(without(columns(60)), { estimatePropensities });
    const said = result.warnings.find((text) => text.startsWith('propensities are estimated'));
    expect(said).toMatch(
      /the same, 2 cells; 2 of them have fewer than 20 events per candidate.*only if the logging policy went by nothing else/,
    );
    expect(result.uniformity.detail).toMatch(/^the estimated propensities are not uniform/);
    expect((await values(columns(60))).result.uniformity.detail).toMatch(/^the logged propensities are not uniform/);
    expect((await values(columns(60))).result.warnings.join()).not.toMatch(/estimated/);
  });

  it('are the same in batches', async () => {
    const small = logFromColumns(without(columns(500)));
    const options = { policies, estimatePropensities, ...cpu, estimators: ['snips', 'ips', 'dr'] as const };
    const whole = await evaluate({ log: small, ...options });
    for (const stretchEvents of [1, 64])
      expect((await evaluate({ log: streamOf(small), ...options, stretchEvents })).policies).toEqual(whole.policies);
  });

  it.each([{ estimators: 'replay' as const }, { estimators: 'dm' as const }, { validEvents: 5 }, { thin: true }])(
    'are refused where nothing goes by them: %j',
    async (asked) => {
      await expect(values(without(log), { estimatePropensities, ...asked })).rejects.toThrow(
        /propensities are to be estimated, and no estimator goes by them/,
      );
    },
  );

  it.each([
    [log, ['device'], /propensities are to be estimated, and the log has them/],
    [
      without(log),
      ['devise'],
      /there is no such key column\n {2}got: {4}devise\n {2}needed: columns kept by value, among "?device"?\n {2}try: {4}did you mean "device"/,
    ],
    [without(log), [], /no key column is named/],
  ] as [LogColumns, string[], RegExp][])('are refused where they make no sense (%#)', async (given, keys, message) => {
    await expect(values(given, { estimatePropensities: keys })).rejects.toThrow(message);
  });
});
