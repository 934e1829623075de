/** What an engine brings back and holds of its replicas, and whether there is room for it. */

import { ArchiveWriter } from '../../archive.js';
import { InputError } from '../../errors.js';
import { Draws } from '../../learner/draws.js';
import type { PreparedLearner } from '../../learner/set/learner-set.js';
import type { EventLog } from '../../log/event-log.js';
import { STREAM } from '../../random/threefry.js';
import { plural } from '../../words.js';
import type { ReplayJob, ReplayKeep, ReplayWork } from '../learner-contract.js';
import { arrayBytes } from './states.js';

/** Retained rows beyond this many would not fit the text of a result … */
const MOST_LISTED = 4e7;
/** … and beyond this many (2 GB) not the memory of many machines. */
const MOST_KEPT = 5e8;

/** The job with the retained events of these replicas, besides those that it keeps anyway. */
export function keeping<Job extends Pick<ReplayJob, 'keep'>>(job: Job, replicas: readonly number[]): Job {
  const { retainedOf } = job.keep;
  if (retainedOf === 'all' || replicas.length === 0) return job;
  const before = retainedOf === 'none' ? [] : retainedOf;
  return { ...job, keep: { ...job.keep, retainedOf: new Set([...before, ...replicas]) } };
}

/** Bytes of the lists of retained events that are kept, about. */
export function keptBytes(work: Expectation, { retainedOf }: ReplayKeep): number {
  const lists = retainedOf === 'all' ? work.replicas.length : retainedOf === 'none' ? 0 : retainedOf.size;
  // Lists grow by doubling, and with source rows there are two.
  return 12 * expectedRetained(work, lists);
}

type Expectation = Pick<ReplayWork, 'replicas' | 'rules' | 'events' | 'effectiveArms'>;

/** @throws InputError where a result that lists the retained events of every replica would be too long. */
export function checkListed(job: Expectation): void {
  const expected = expectedRetained(job, job.replicas.length);
  if (expected <= MOST_LISTED) return;
  throw new InputError({
    problem: 'the rows of all retained events would not fit the result',
    got: `about ${plural(Math.round(expected), 'row')} in ${plural(job.replicas.length, 'replica')}`,
    needed: `at most ${MOST_LISTED}`,
    hint: 'fewer repeats, or replicas without their rows: --no-retained (in code: retained: false)',
  });
}

/** @throws InputError where the retained events of the replicas to verify would fill the memory. */
export function checkKept(job: Expectation, verify: boolean | number): void {
  const replicas = verify === true ? job.replicas.length : Math.min(Number(verify), job.replicas.length);
  const expected = expectedRetained(job, replicas);
  if (expected <= MOST_KEPT) return;
  throw new InputError({
    problem: 'the retained events of the replicas to verify would not fit the memory',
    got: `about ${plural(Math.round(expected), 'event')} in ${plural(replicas, 'replica')}`,
    needed: `at most ${MOST_KEPT}`,
    hint: `--verify ${Math.max(1, Math.floor((replicas * MOST_KEPT) / expected))} (in code: verify)`,
  });
}

/** About how many events so many replicas retain. */
function expectedRetained({ events, effectiveArms, rules }: Expectation, replicas: number): number {
  const { validEvents, subsample } = rules;
  return replicas * Math.min(validEvents ?? Number.POSITIVE_INFINITY, (subsample * events) / effectiveArms);
}

/** States beyond this are not made only to be measured. */
const MEASURED = 1e6;

/** Bytes of the states of one replica of each setting, as far as they can be told beforehand. */
export function stateBytes(head: EventLog, settings: readonly PreparedLearner[]): number {
  return settings.reduce((sum, { create, arrays }) => {
    const large = arrayBytes(arrays?.(head, false) ?? []);
    if (large > MEASURED) return sum + 2 * large;
    const learner = create(head, new Draws(0, 0, STREAM.exploration));
    const writer = new ArchiveWriter();
    learner.carry?.(writer);
    // Room that is written to may be twice as large.
    return sum + 2 * writer.bytes().length;
  }, 0);
}
