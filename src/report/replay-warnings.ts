/** What a reader of a replay's result must be told, in whole sentences. */

import type { ReplayOutcome, ReplayRules, ReplayWork } from '../engine/learner-contract.js';
import type { EventLog } from '../log/event-log.js';
import { plural } from '../words.js';
import type { ReplayResult } from './replay-result.js';
import { alike, numericWarnings } from './replay-rows.js';

/** What depends on the order of events. */
export function inOrder({ source }: EventLog, { updateEvery, validEvents }: ReplayRules): string[] {
  return [
    'what learners have seen',
    ...(updateEvery === null ? [] : ['updates']),
    ...(validEvents === null ? [] : ['the first valid events']),
    ...(source.distinctViews === undefined ? [] : ['distinct views']),
  ];
}

/** Of the engine that was given up, and of what came of the verification. */
export function engineWarnings(engine: ReplayResult['engine']): string[] {
  return [
    ...failedVerification(engine),
    ...(engine.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${engine.fallback}`]),
  ];
}

/** Of what the replicas came to. */
export function outcomeWarnings(work: ReplayWork, outcome: ReplayOutcome, repeats: number): string[] {
  return [
    ...numericWarnings(work, outcome.numerics),
    ...alikeWarnings(work, outcome, repeats),
    ...shortRuns(work, outcome),
  ];
}

function failedVerification({ device, verified }: ReplayResult['engine']): string[] {
  if (verified === null || verified.passed) return [];
  const next =
    device === 'cpu'
      ? 'a learner must answer the same when it is asked again'
      : '--device cpu (in code: device) replays in f64';
  return [`verification failed, so these results are not to be relied on: ${verified.first}; ${next}`];
}

function alikeWarnings(job: ReplayWork, outcome: ReplayOutcome, repeats: number): string[] {
  const same = job.settings.filter((_, s) => {
    const rows = job.replicas.flatMap(({ setting }, row) => (setting === s ? [row] : []));
    return job.events > 0 && alike(job, outcome, rows);
  });
  if (same.length === 0) return [];
  const names = same.slice(0, 3).map(({ name }) => name);
  const more = same.length > 3 ? ` and ${same.length - 3} more` : '';
  return [
    `the ${plural(repeats, 'replica')} of ${names.join(', ')}${more} are one and the same: nothing in them is random, and each sees the whole log; a subsample below 1 makes them differ`,
  ];
}

function shortRuns({ rules, replicas }: ReplayWork, { complete }: ReplayOutcome): string[] {
  const short = complete.reduce((sum, flag) => sum + (flag === 0 ? 1 : 0), 0);
  if (short === 0) return [];
  return [
    `the log ended before ${plural(rules.validEvents ?? 0, 'valid event')} for ${short} of ${plural(replicas.length, 'replica')}; ${short === 1 ? 'its estimate uses' : 'their estimates use'} the matches there were`,
  ];
}
