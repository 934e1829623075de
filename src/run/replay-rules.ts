/** Checks of the rules that a caller gives for every replica. */

import type { ReplayRules, UpdateEvery } from '../engine/learner-contract.js';
import { InputError } from '../errors.js';
import { checkValidEvents } from '../estimate/estimators/valid-events.js';
import { algorithmNamed } from '../learner/set/algorithms.js';
import type { LearnerSet, PreparedLearner } from '../learner/set/learner-set.js';

/** Most replicas of one setting. */
export const MOST_REPEATS = 1_000_000;

/** @throws InputError for the first rule that is not usable. */
export function checkRules(rules: ReplayRules, repeats: number): void {
  const { seed, subsample, validEvents, updateEvery, learnFrom } = rules;
  check(
    'repeats',
    Number.isSafeInteger(repeats) && repeats >= 1 && repeats <= MOST_REPEATS,
    repeats,
    `a whole number in 1..${MOST_REPEATS}`,
  );
  check('seed', Number.isSafeInteger(seed) && seed >= 0 && seed < 2 ** 32, seed, 'a whole number in 0..4294967295');
  check('subsample', subsample > 0 && subsample <= 1, subsample, 'a probability above 0 and at most 1');
  if (validEvents !== null) checkValidEvents(validEvents);
  if (updateEvery !== null) checkUpdateEvery(updateEvery);
  check('learnFrom', learnFrom === 'retained' || learnFrom === 'all', learnFrom, 'retained or all');
}

/** @throws InputError for options of verification that are not usable. */
export function checkVerification(verify: boolean | number | undefined, tolerance: number): void {
  if (typeof verify === 'number') {
    const needed = 'a whole number of replicas, at least 1; true: every replica; false: none';
    check('verify', Number.isSafeInteger(verify) && verify >= 1, verify, needed);
  }
  check('verifyTolerance', Number.isFinite(tolerance) && tolerance >= 0, tolerance, 'a finite number of at least 0');
}

function checkUpdateEvery(updateEvery: UpdateEvery): void {
  if (typeof updateEvery === 'number') {
    check(
      'updateEvery',
      Number.isSafeInteger(updateEvery) && updateEvery >= 1,
      updateEvery,
      'a whole number of events, at least 1, or { period } in milliseconds',
    );
    return;
  }
  const { period } = updateEvery;
  check(
    'updateEvery',
    Number.isFinite(period) && period > 0,
    `a period of ${period} ms`,
    'a finite number of milliseconds above 0',
  );
}

function check(name: string, good: boolean, got: unknown, needed: string): void {
  if (!good) throw new InputError({ problem: `option ${name} is not usable`, got: String(got), needed });
}

/**
 * Refuses to feed a learner events that it did not choose where it would weigh them as if it had.
 *
 * @throws InputError that names the learners.
 */
export function checkFeed(settings: readonly PreparedLearner[], learnFrom: ReplayRules['learnFrom']): void {
  if (learnFrom === 'retained') return;
  const wrong = settings.filter(({ algorithm }) => algorithm && algorithmNamed(algorithm)?.weighsByOwnChoice);
  if (wrong.length === 0) return;
  throw new InputError({
    problem: 'learners that weigh payoffs by their own probabilities cannot learn from every event of the log',
    got: wrong.map(({ name }) => name).join(', '),
    needed: 'learning from retained events, which have those probabilities; other events were drawn uniformly',
    hint: 'leave out --learn-from all (in code: learnFrom), or these learners',
  });
}

/** @throws InputError that names the learners for which scaled contexts would mean something else. */
export function checkScale(set: LearnerSet): void {
  const wrong = set.filter(({ algorithm, parameters }) => algorithm.asGiven?.(parameters) === true);
  if (wrong.length === 0) return;
  throw new InputError({
    problem: 'experts that weigh contexts mean them as the log has them, and --scale (in code: scale) changes them',
    got: wrong.map(({ name }) => name).join(', '),
    needed: 'experts that read keys or nothing: constant, uniform, table, choices',
    hint: 'a replay of its own for these learners, without --scale',
  });
}
