/** Events that a service dropped at different rates (pdrop), against the definition: one that was kept counts 1/(1 − pdrop). */

import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import { effectiveClopperPearson } from '#dist/estimate/interval/weighted/effective-clopper-pearson.js';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { openLog } from '#dist/open/open.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { replay } from '#dist/replay.js';
import { pack, pathOf, withPacked, write } from '../log/files.js';

const ARMS = ['1', '2', '3'];
const RATES = [0, 0.3, 0.5, 0.9];
const DAY = 86_400_000;
const [clip, most, shrinkage] = [4, 6, 30];

interface Event {
  readonly arm: number;
  readonly r: number;
  readonly p: number;
  readonly rate: number;
  readonly day: number;
  /** Of each arm. */
  readonly q: readonly number[];
}

/** Numbers in [0, 1) that depend on nothing else (Park & Miller). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function events(count: number, rateOf: (random: number) => number, seed = 7): Event[] {
  const next = numbers(seed);
  return Array.from({ length: count }, (_, t) => {
    const first = 0.1 + 0.6 * next();
    const shares = [first, (1 - first) * 0.25, (1 - first) * 0.75];
    const u = next();
    const arm = u < shares[0] ? 0 : u < shares[0] + shares[1] ? 1 : 2;
    // What pays is dropped more often: without counts values are far off.
    const r = next() < 0.2 + 0.2 * arm ? 1 : 0;
    const rate = rateOf(Math.min(0.999, next() * 0.6 + 0.4 * r));
    return { arm, r, p: shares[arm], rate, day: Math.floor((9 * t) / count), q: [next(), next(), next()] };
  });
}

const mixed = (random: number): number => RATES[Math.floor(random * RATES.length)];

const line = ({ arm, r, p, rate, day }: Event): string =>
  JSON.stringify({
    _label_cost: -r,
    _label_probability: p,
    _label_Action: arm + 1,
    _labelIndex: arm,
    Timestamp: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
    a: [arm + 1, ...[1, 2, 3].filter((a) => a !== arm + 1)],
    c: { u: { x: arm }, _multi: ARMS.map((id) => ({ v: { id } })) },
    p: [p, ...[1, 2].map(() => (1 - p) / 2)],
    pdrop: rate,
  });

let files = 0;
const fileOf = (log: readonly Event[]): string => write(`drop-${files++}.json`, `${log.map(line).join('\n')}\n`);
const readEvents = (log: readonly Event[]): Promise<EventLog> => readLog([fileOf(log)], {});

/** π of each arm. */
const POLICIES: readonly { readonly spec: PolicyInput; readonly pi: readonly number[] }[] = [
  { spec: { family: 'constant', arms: ['1'] }, pi: [1, 0, 0] },
  { spec: { family: 'constant', arms: ['3'] }, pi: [0, 0, 1] },
  { spec: { family: 'constant', arms: ['2'], epsilon: 0.25 }, pi: [0.25 / 3, 0.75 + 0.25 / 3, 0.25 / 3] },
];
const NAMES: readonly EstimatorName[] = [
  ...(['snips', 'ips', 'ips-clip', 'snips-clip', 'dm', 'dr', 'dr-clip', 'switch-dr', 'dros', 'sndr'] as const),
];
const RULES: Record<string, (w: number) => number> = {
  'ips-clip': (w) => Math.min(w, clip),
  'snips-clip': (w) => Math.min(w, clip),
  'dr-clip': (w) => Math.min(w, clip),
  'switch-dr': (w) => (w <= most ? w : 0),
  dros: (w) => (shrinkage * w) / (w * w + shrinkage),
};

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Value and ψ of each event, by the definitions with c = 1/(1 − pdrop) in weight and count. */
function defined(name: string, log: readonly Event[], pi: readonly number[]) {
  const c = log.map(({ rate }) => 1 / (1 - rate));
  const full = log.map(({ arm, p }) => pi[arm] / p);
  const w = full.map(RULES[name] ?? ((one) => one));
  const Q = log.map(({ q }) => sum(q.map((value, a) => pi[a] * value)));
  const e = log.map(({ r, q, arm }) => r - q[arm]);
  const r = log.map(({ r }) => r);
  const mean = (y: readonly number[]) => {
    const value = sum(y.map((one, t) => c[t] * one)) / sum(c);
    return { value, psi: y.map((one, t) => (c[t] * (one - value)) / sum(c)) };
  };
  const ratio = (y: readonly number[]) => {
    const weight = sum(w.map((one, t) => c[t] * one));
    const value = sum(y.map((one, t) => c[t] * w[t] * one)) / weight;
    return { value, psi: y.map((one, t) => (c[t] * w[t] * (one - value)) / weight) };
  };
  if (name === 'dm') return mean(Q);
  if (name.startsWith('snips')) return ratio(r);
  if (name.startsWith('ips')) return mean(r.map((payoff, t) => w[t] * payoff));
  if (name !== 'sndr') return mean(Q.map((one, t) => one + w[t] * e[t]));
  const [direct, correction] = [mean(Q), ratio(e)];
  return { value: direct.value + correction.value, psi: direct.psi.map((one, t) => one + correction.psi[t]) };
}

async function evaluated(log: EvaluateOptions['log'], options: Partial<EvaluateOptions> = {}) {
  const result = await evaluate({ log, policies: POLICIES.map(({ spec }) => spec), device: 'cpu', ...options });
  return { result, policies: [...result.policies].sort((a, b) => a.index - b.index) };
}

/**
 * How far rounding may move a value and an error: w y by the share ρ of a weight times w |y|, y and Q by a prediction's δ; a ratio twice,
 * above and below, and by its divisor. An error is at most the sum of what moves each ψ, of which the value's own shift is one.
 */
function bounds(log: readonly Event[], pi: readonly number[], [rho, delta]: readonly [number, number]) {
  const c = log.map(({ rate }) => 1 / (1 - rate));
  const w = log.map(({ arm, p }) => pi[arm] / p);
  const weight = sum(w.map((one, t) => c[t] * one)) / sum(c);
  // |r| and |e| are at most 1, and counts and f64 sums of so few events are right to 10⁻¹².
  const shift = rho * weight + delta * (1 + weight) + 1e-12;
  const value = shift * (1 + 2 / weight);
  return { value, error: 6 * value };
}

describe('events that were dropped at different rates', () => {
  const log = events(1500, mixed);
  const predictions = write('drop-q.npy', encodeNpy(Float64Array.from(log.flatMap(({ q }) => q)), [log.length, 3]));
  const asked = { estimators: NAMES, clip, switch: most, shrinkage, predictions } as const;

  it.each([
    ['event by event', {}],
    ['by days', { blocks: { period: DAY } }],
  ] as const)('have values and errors as by their definition: %s', async (by, options) => {
    const { result, policies } = await evaluated(await readEvents(log), { ...asked, ...options, interval: 'normal' });
    for (const [p, { pi }] of POLICIES.entries()) {
      for (const name of NAMES) {
        const { value, psi } = defined(name, log, pi);
        const days = Array.from({ length: 9 }, (_, day) => sum(psi.filter((_, t) => log[t].day === day)));
        const parts = by === 'by days' ? days : psi;
        const error = Math.sqrt((sum(parts.map((one) => one * one)) * parts.length) / (parts.length - 1));
        const { rounding = 0, predictionRounding = 0 } = result.estimators.find((one) => one.name === name) ?? {};
        const within = bounds(log, pi, [rounding, predictionRounding]);
        const { value: found, standardError } = policies[p].estimates[name] ?? {};
        const off = [Math.abs((found ?? Number.NaN) - value), Math.abs((standardError ?? Number.NaN) - error)];
        expect([p, name, off[0] <= within.value, off[1] <= within.error]).toEqual([p, name, true, true]);
        // A bound of this size would not see counts left out.
        expect(within.error).toBeLessThan(error / 100);
      }
    }
  });

  it('have weights of c w: effective events, their mean and the largest', async () => {
    const { policies } = await evaluated(await readEvents(log), { estimators: 'snips' });
    for (const [p, { pi }] of POLICIES.entries()) {
      const c = log.map(({ rate }) => 1 / (1 - rate));
      const cw = log.map(({ arm, p: own }, t) => (c[t] * pi[arm]) / own);
      const [total, largest] = [sum(cw), cw.reduce((a, b) => Math.max(a, b))];
      const { weights, largestPayoffShare, value, standardError, interval, matches } = policies[p];
      expect(weights?.ess).toBeCloseTo(total ** 2 / sum(cw.map((one) => one * one)), 3);
      expect(weights?.mean).toBeCloseTo(total / sum(c), 5);
      expect((weights?.largest ?? 0) / largest).toBeCloseTo(1, 6);
      expect(weights?.largestShare).toBeCloseTo(largest / total, 6);
      const paid = cw.map((one, t) => one * log[t].r);
      expect(largestPayoffShare).toBeCloseTo(paid.reduce((a, b) => Math.max(a, b)) / sum(paid), 6);
      expect(matches).toBe(log.filter(({ arm }) => pi[arm] > 0).length);
      // The cap s_w²/ESS, with weights c w.
      const v = value ?? Number.NaN;
      // Of the mixture it is made of the sums of what it mixes.
      expect(v).toBeCloseTo(defined('snips', log, pi).value, 5);
      const spread = sum(cw.map((one, t) => one * (log[t].r - v) ** 2)) / total;
      const independentVariance = (spread * sum(cw.map((one) => one * one))) / total ** 2;
      const bounds = effectiveClopperPearson(
        {
          ...{ value: v, variance: (standardError ?? Number.NaN) ** 2, independentVariance, degrees: null },
          ...{ ess: weights?.ess ?? 0, largest: null, edge: null, events: log.length, mostWeight: null },
          redrawn: () => new Float64Array(0),
        },
        0.05,
      );
      expect(interval[0]).toBeCloseTo(bounds[0], 5);
      expect(interval[1]).toBeCloseTo(bounds[1], 5);
    }
  });

  it('say what the log earned in the traffic that there was, not in what was kept', async () => {
    const { result } = await evaluated(await readEvents(log), { estimators: 'snips' });
    const c = log.map(({ rate }) => 1 / (1 - rate));
    const value = sum(log.map(({ r }, t) => c[t] * r)) / sum(c);
    expect(result.logged.value).toBeCloseTo(value, 12);
    const error = Math.sqrt(sum(log.map(({ r }, t) => (c[t] * (r - value)) ** 2))) / sum(c);
    // Within one part in three of the normal interval: it is that of as many effective events.
    expect((result.logged.interval[1] - result.logged.interval[0]) / (2 * 1.96 * error)).toBeCloseTo(1, 0);
    expect(result.log.dropRates).toEqual(RATES);
    expect(result.warnings.filter((one) => /4 different rates .*pdrop 0, 0.3, 0.5, 0.9/.test(one))).toHaveLength(1);
  });

  it('are estimated by snips where nothing is asked, even if arms were drawn uniformly', async () => {
    const uniform = log.map((event) => ({ ...event, p: 1 / 3 }));
    const { result, policies } = await evaluated(await readEvents(uniform));
    expect(result.estimator.name).toBe('snips');
    const own = uniform.filter(({ arm }) => arm === 2).map(({ r, rate }) => [r / (1 - rate), 1 / (1 - rate)]);
    expect(policies[1].value).toBeCloseTo(sum(own.map(([r]) => r)) / sum(own.map(([, c]) => c)), 12);
  });

  it('count as so many of them: one dropped at 0.5 as itself twice', async () => {
    const halves = events(400, (random) => (random < 0.5 ? 0 : 0.5), 11);
    const twice = halves.flatMap((event) =>
      Array.from({ length: 1 / (1 - event.rate) }, () => ({ ...event, rate: 0 })),
    );
    const estimators = ['snips', 'ips', 'snips-clip'] as const;
    const options = { estimators, clip, blocks: { period: DAY } };
    const [a, b] = [
      await evaluated(await readEvents(halves), options),
      await evaluated(await readEvents(twice), options),
    ];
    for (const [p] of POLICIES.entries()) {
      for (const name of estimators)
        expect(a.policies[p].estimates[name]?.value).toBe(b.policies[p].estimates[name]?.value);
      expect(a.policies[p].weights?.mean).toBe(b.policies[p].weights?.mean);
      // Both of a pair are of one day: errors between days, and bands by them, are the same.
      expect((a.policies[p].standardError ?? 0) / (b.policies[p].standardError ?? 0)).toBeCloseTo(1, 12);
    }
    expect(a.result.selection?.criticalValue).toBeCloseTo(b.result.selection?.criticalValue ?? 0, 9);
  });

  it('make no difference where the rate is one, whatever it is, nor where payoffs are constant', async () => {
    const one = (rate: number) => events(300, () => rate, 3);
    const [none, nine] = await Promise.all([one(0), one(0.9)].map(async (log) => evaluated(await readEvents(log))));
    expect(nine.policies).toEqual(none.policies);
    expect([none.result.log.dropRates, nine.result.log.dropRates]).toEqual([undefined, [0.9]]);
    const constant = log.map((event) => ({ ...event, r: 1 }));
    const { policies } = await evaluated(await readEvents(constant), { estimators: ['snips', 'sndr'], predictions });
    for (const { value, standardError } of policies) expect([value, standardError]).toEqual([1, 0]);
  });

  it('are the same packed, in batches, and where an interrupted run goes on; segments by rate and the parts of a hold-out add up', async () => {
    const whole = await readEvents(log);
    const plain = { estimators: ['snips', 'ips'] as const, bands: true };
    const { policies } = await evaluated(whole, plain);
    expect((await evaluated(whole, { ...plain, stretchEvents: 77 })).policies).toEqual(policies);
    const resume = pathOf('drop.checkpoint');
    const stopped = new AbortController();
    const stop = ({ phase, done }: { phase: string; done: number }) =>
      phase === 'evaluate' && done > 900 && stopped.abort();
    const stretch = { ...plain, stretchEvents: 77, resume };
    await expect(evaluated(whole, { ...stretch, signal: stopped.signal, onProgress: stop })).rejects.toThrow(/abort/);
    expect((await evaluated(whole, stretch)).policies).toEqual(policies);
    const path = await pack('drop.parquet', whole, 256);
    await withPacked(path, async (stream) => {
      expect([...stream.head.keys.keys()]).toEqual(['pdrop']);
      expect((await evaluated(stream, plain)).policies).toEqual(policies);
    });
    const { result } = await evaluated({ files: [fileOf(log)] }, { ...plain, by: ['pdrop'] });
    const segment = result.segments?.levels.findIndex(({ level }) => level.pdrop === '0.9') ?? -1;
    const { policies: alone } = await evaluated(await readEvents(log.filter(({ rate }) => rate === 0.9)), plain);
    const row = (index: number) => result.policies.find((one) => one.index === index);
    for (const { index, value, interval, matches } of alone)
      expect(row(index)?.segments?.[segment]).toMatchObject({ value, interval, matches });
    const { result: held } = await evaluated(whole, { ...plain, selectOn: { blocks: 8 }, blocks: { period: DAY } });
    expect((held.holdOut?.selection.events ?? 0) + (held.holdOut?.evaluation.events ?? 0)).toBe(log.length);
  });

  it.each<[string, Partial<EvaluateOptions>, RegExp]>([
    ['replay', { estimators: 'replay' }, /the estimator replay counts all alike/],
    ['cressie-read', { estimators: ['snips', 'cressie-read'] }, /the estimator cressie-read counts all alike/],
    ['Algorithm 1', { validEvents: 10 }, /counts all alike/],
    ['blocks', { blockStatistics: true }, /the estimator replay counts all alike/],
    ['thinning', { thin: true }, /the estimator replay counts all alike/],
    ['sequences', { estimators: 'snips', sequence: 'asymptotic' }, /a confidence sequence counts all alike/],
    [
      'declared weights',
      { estimators: 'ips', interval: 'empirical-bernstein', leastPropensity: 0.01 },
      /the interval empirical-bernstein counts/,
    ],
  ])('refuse %s, and say what fits', async (_, options, message) => {
    const policies = POLICIES.slice(0, 2).map(({ spec }) => spec);
    await expect(evaluated(await readEvents(log), { policies, ...options })).rejects.toThrow(message);
  });

  it('are no log to replay learners on', async () => {
    await expect(replay(await readEvents(log), [{ algorithm: 'ucb1' }])).rejects.toThrow(
      /a learner counts all alike.*pdrop 0, 0.3/s,
    );
  });

  it.each([
    ['several', log, log.filter(({ rate }) => rate < 0.5)],
    ['one each', events(20, () => 0.2), events(20, () => 0)],
  ])('are not mixed with packed logs of other rates: %s', async (name, one, other) => {
    const paths: string[] = [];
    for (const [i, part] of [one, other].entries())
      paths.push(await pack(`${name}-${i}.parquet`, await readEvents(part)));
    const error = await openLog({ files: paths }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toMatch(/the rates at which events were dropped \(pdrop\)/);
    expect((error as InputError).message).toMatch(/convert the original files together/);
  });
});
