/** The early end of `matches` against the tie rule, on scores given outright. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ScoredLearner } from '#dist/learner/scored.js';
import { NO_BLAME } from '../helpers.js';

class Given extends ScoredLearner {
  constructor(
    readonly given: number[],
    tolerance: number,
  ) {
    super(given.length, tolerance);
  }
  protected prepare(): void {}
  protected score(arm: number): number {
    return this.given[arm];
  }
  protected blame() {
    return NO_BLAME;
  }
  update(): void {}
  carry(): void {}
  state(): Record<string, unknown> {
    return {};
  }
}

function holds(scores: number[], tolerance: number, chosen?: number): void {
  const learner = new Given(scores, tolerance);
  const candidates = { arms: Uint32Array.from(scores.keys()), from: 0, to: scores.length };
  const choice = learner.choose(0, candidates);
  if (chosen !== undefined) expect(choice).toBe(chosen);
  // Twice: the second round starts from the rivals that the first one found.
  for (const arm of [...scores.keys(), ...scores.keys()]) {
    expect(learner.matches(0, candidates, arm)).toBe(arm === choice);
  }
}

it.each([
  { scores: [1], tolerance: 0, chosen: 0 },
  { scores: [1, 1, 1], tolerance: 0, chosen: 0 },
  // 0.96 is within 0.05 of 1, 0.94 is not.
  { scores: [0.94, 0.96, 1], tolerance: 0.05, chosen: 1 },
  // Arm 0 would tie with arm 1 alone; arm 2 lifts the threshold above it.
  { scores: [0.96, 1, 1.02], tolerance: 0.05, chosen: 1 },
  // Arm 0 would tie with arm 1, and arm 2 puts both out.
  { scores: [0.96, 1, 2], tolerance: 0.05, chosen: 2 },
  // Relative beyond 1, and for negative scores.
  { scores: [95, 96, 100], tolerance: 0.05, chosen: 0 },
  { scores: [-105.1, -104, -100], tolerance: 0.05, chosen: 1 },
  { scores: [0, -0, 0], tolerance: 0, chosen: 0 },
])('$scores within $tolerance: arm $chosen', ({ scores, tolerance, chosen }) => holds(scores, tolerance, chosen));

it('random and nearly tied scores', () => {
  const score = fc.oneof(
    fc.double({ min: -3, max: 3, noNaN: true }),
    fc.integer({ min: -4, max: 4 }).map((n) => n / 2),
    fc.integer({ min: -30, max: 30 }).map((n) => 1 + n * 0.01),
    fc.integer({ min: -3, max: 3 }).map((n) => -200 + n * 5),
    fc.integer({ min: -3, max: 3 }).map((n) => 1 + n * Number.EPSILON),
  );
  fc.assert(
    fc.property(
      fc.array(score, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(0, 1e-15, 0.01, 0.05, 0.5),
      (scores, tolerance) => holds(scores, tolerance),
    ),
    { numRuns: 5000 },
  );
});

it('a rival whose score breaks rules nothing out: it is an error', () => {
  const learner = new Given([-1, 2, 0], 0);
  const candidates = { arms: Uint32Array.of(0, 1, 2), from: 0, to: 3 };
  // Arm 1 rules arm 2 out, and is asked first from now on.
  expect(learner.matches(0, candidates, 2)).toBe(false);
  for (const score of [Number.POSITIVE_INFINITY, Number.NaN]) {
    learner.given[1] = score;
    expect(() => learner.matches(1, candidates, 2)).toThrow(/the score of arm index 1 is no finite number/);
  }
});
