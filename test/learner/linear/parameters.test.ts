/** Parameters out of range and logs that lack what a learner needs: errors that say what to do. */
import { describe, expect, it } from 'vitest';
import type { Algorithm } from '#dist/learner/learner.js';
import { cemp } from '#dist/learner/linear/cemp.js';
import { glmUcb } from '#dist/learner/linear/glm-ucb.js';
import { linThompson } from '#dist/learner/linear/lin-thompson.js';
import { linrel } from '#dist/learner/linear/linrel.js';
import { linucb } from '#dist/learner/linear/linucb.js';
import { linucbHybrid } from '#dist/learner/linear/linucb-hybrid.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { validate } from '#dist/policy/spec-faults.js';
import { candidatesOf, inputError, learnerOf, randomLog, thetaOf } from './helpers.js';

const LINEAR: readonly Algorithm[] = [linucb, linucbHybrid, linThompson, linrel, glmUcb, cemp];

it('defaults', () => {
  expect(LINEAR.map(({ name, schema }) => [name, schema.parse({})])).toEqual([
    ['linucb', { alpha: 1, lambda: 1, tieTolerance: 1e-6 }],
    ['linucb-hybrid', { alpha: 1, lambda: 1, shared: 'product', tieTolerance: 1e-6 }],
    ['lin-thompson', { v: 0.25, lambda: 1, tieTolerance: 1e-6 }],
    ['linrel', { alpha: 1, delta: 0.05, tieTolerance: 1e-6 }],
    ['glm-ucb', { rho: 0.5, lambda: 1, tieTolerance: 1e-6 }],
    ['cemp', { lambda: 1, prior: 0.5, tieTolerance: 1e-6 }],
  ]);
});

it.each([
  [linucb, { alpha: -1 }, /alpha/],
  [linucb, { alpha: Number.POSITIVE_INFINITY }, /alpha/],
  [linucb, { lambda: 0 }, /lambda/],
  [linucb, { tieTolerance: 0.6 }, /tieTolerance/],
  [linucb, { alhpa: 1 }, /did you mean "alpha"/],
  [linucbHybrid, { shared: 'both' }, /shared/],
  [linThompson, { v: -0.1 }, /v/],
  [linrel, { delta: 1 }, /delta/],
  [linrel, { horizon: 0 }, /horizon/],
  [glmUcb, { rho: '1' }, /rho/],
  [cemp, { prior: 0 }, /prior/],
] as [Algorithm, object, RegExp][])('%o %o', ({ schema }, parameters, message) => {
  expect(inputError(() => validate(schema, parameters, { file: 'learners.json', path: '[0]' }))).toMatch(message);
});

const armIndex = [0, 1];
const noContext = logFromColumns({ armIndex, arms: 2, payoff: [0, 1] });

describe.each(LINEAR.map((algorithm) => ({ algorithm, name: algorithm.name })))('$name', ({ algorithm, name }) => {
  it('d = 0', () => {
    const message = inputError(() => learnerOf(algorithm, noContext));
    expect(message).toMatch(`${name} learns from contexts, and the log has none`);
    expect(message).toMatch(/"intercept": true/);
  });

  it('leaves no trace in the log, and replicas do not share state', () => {
    const log = randomLog({ events: 50, arms: 3, d: 2, armWidth: 2 });
    const before = [...log.contexts.values, ...(log.armFeatures?.values ?? [])];
    const [first, second] = [learnerOf(algorithm, log), learnerOf(algorithm, log)];
    const fresh = JSON.stringify(second.state());
    for (let t = 0; t < 50; t++) first.update(t, log.arm[t], log.payoff.steps[t], log.payoff.steps[t]);
    expect(JSON.stringify(second.state())).toBe(fresh);
    expect(JSON.stringify(first.state())).not.toBe(fresh);
    expect([...log.contexts.values, ...(log.armFeatures?.values ?? [])]).toEqual(before);
  });
});

it('the hybrid needs arm features', () => {
  const log = logFromColumns({ armIndex, arms: 2, payoff: [0, 1], context: [[1], [2]] });
  expect(inputError(() => learnerOf(linucbHybrid, log))).toMatch(
    /shares coefficients over arm features.*\n.*\n.*armFeatures/,
  );
});

it.each([glmUcb, cemp] as Algorithm[])('$name needs payoffs in [0, 1]', (algorithm) => {
  const log = logFromColumns({ armIndex, arms: 2, payoff: [0, 5], context: [[1], [2]] });
  expect(inputError(() => learnerOf(algorithm, log))).toMatch(/payoffs between 0 and 5/);
});

it('columns that f64 cannot tell apart are solved all the same', () => {
  const context = Array.from({ length: 4 }, (_, t) => [1e9, 1e9 * (1 + t * 1e-16)]);
  const log = logFromColumns({ armIndex: [0, 0, 0, 0], arms: 1, payoff: [0, 1, 0, 1], context });
  const learner = learnerOf(linucb, log, { lambda: 1e-9 });
  for (const t of [0, 1, 2, 3]) learner.update(t, 0, 1, 1);
  // Nearly equal columns share the weight.
  const [[first, second]] = thetaOf(learner);
  expect(first / 0.5e-9).toBeCloseTo(1, 3);
  expect(second / 0.5e-9).toBeCloseTo(1, 3);
});

it('contexts too large to be squared are an error, not NaN', () => {
  const context = [
    [1, 1e200],
    [2, 3],
  ];
  const log = logFromColumns({ armIndex, arms: 2, payoff: [0, 1], context });
  const learner = learnerOf(linucb, log);
  expect(inputError(() => learner.choose(0, candidatesOf(log, 0)))).toMatch(/no finite number/);
  expect(learner.numerics?.().trouble).toMatch(/largest columns are .*up to 1\.00e\+200/);
});
