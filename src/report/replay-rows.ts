/** From what replicas did to the rows of the result. */

import type { ReplayJob, ReplayOutcome } from '../engine/learner-contract.js';
import { estimateOf, totals } from '../estimate/estimators/replay-totals.js';
import type { Totals } from '../estimate/sums/exact-sums.js';
import type { SelectedLearners } from '../run/learner-selection.js';
import { plural } from '../words.js';
import { blockRows } from './block-rows.js';
import type { LearnerResult, ReplicaResult } from './replay-result.js';

export interface ReplayRowOptions {
  /** Put every replica into its learner's row. */
  replicas: boolean;
  /** Put the rows of retained events into the replicas. */
  retained: boolean;
  /** Put statistics per block into the replicas. */
  blockStatistics: boolean;
}

/** What of a replay its rows are made of; the log may be but its head. */
export type RowJob = Pick<ReplayJob, 'settings' | 'log' | 'replicas' | 'rules'>;

/** One row per setting, in their order. */
export function learnerRows(
  job: RowJob,
  outcome: ReplayOutcome,
  { learners, differ, standings }: SelectedLearners,
  options: ReplayRowOptions,
): LearnerResult[] {
  const { settings } = job;
  const members: number[][] = settings.map(() => []);
  job.replicas.forEach(({ setting }, row) => {
    members[setting].push(row);
  });
  return settings.map(({ name, algorithm, given }, index) => {
    const rows = members[index];
    const replicas = rows.map((row) => replicaRow(job, outcome, row, options));
    const { interval, estimates, empty, ...statistics } = learners[index].summary;
    const result: LearnerResult = {
      index,
      name,
      algorithm: (algorithm ?? 'custom') as LearnerResult['algorithm'],
      parameters: { ...given },
      ...statistics,
      matches: replicas.reduce((sum, { matches }) => sum + matches, 0) / Math.max(1, replicas.length),
      interval: alike(job, outcome, rows) ? null : interval,
      estimates,
      empty,
      runsDiffer: differ[index],
      ...standings[index],
    };
    const numerics = numericsOf(outcome, rows);
    if (numerics !== null) result.numerics = numerics;
    if (options.replicas) result.replicas = replicas;
    return result;
  });
}

/** Name of the setting and totals of each replica. */
export function* replicaTotals(
  { settings, replicas }: RowJob,
  { stats }: ReplayOutcome,
): Generator<{ name: string; sums: Totals }> {
  for (const [row, { setting }] of replicas.entries()) yield { name: settings[setting].name, sums: totals(stats, row) };
}

/** What the replicas of a setting say of their arithmetic, together; `null` where they say nothing. */
function numericsOf({ numerics = [] }: ReplayOutcome, rows: readonly number[]): Record<string, number | null> | null {
  const told = rows.flatMap((row) => numerics[row] ?? []);
  if (told.length === 0) return null;
  const sums: Record<string, number> = {};
  const sizes: Record<string, number> = {};
  for (const { counts, largest } of told) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
    for (const [name, size] of Object.entries(largest))
      sizes[name] = Math.max(sizes[name] ?? Number.NEGATIVE_INFINITY, size);
  }
  const all = Object.entries({ ...sums, ...sizes });
  return Object.fromEntries(all.map(([name, size]) => [name, Number.isFinite(size) ? size : null]));
}

/** One warning for each setting some of whose replicas are in trouble with their arithmetic. */
export function numericWarnings(
  { settings, replicas }: Pick<RowJob, 'settings' | 'replicas'>,
  numerics: ReplayOutcome['numerics'] = [],
): string[] {
  const troubles: (string | null)[][] = settings.map(() => []);
  replicas.forEach(({ setting }, row) => {
    troubles[setting].push(numerics[row]?.trouble ?? null);
  });
  return settings.flatMap(({ name }, s) => {
    const found = troubles[s].filter((trouble) => trouble !== null);
    if (found.length === 0) return [];
    const where =
      troubles[s].length === 1
        ? ''
        : ` (in ${found.length} of ${plural(troubles[s].length, 'replica')}; this is the first of them)`;
    return [`${name}: ${found[0]}${where}`];
  });
}

function replicaRow(job: RowJob, outcome: ReplayOutcome, row: number, options: ReplayRowOptions): ReplicaResult {
  const { log, rules } = job;
  const result: ReplicaResult = {
    replica: job.replicas[row].number,
    seed: rules.seed,
    ...estimateOf(totals(outcome.stats, row), log.payoff.scale),
  };
  if (rules.validEvents !== null) {
    result.consumed = outcome.consumed[row];
    result.complete = outcome.complete[row] === 1;
  }
  if (options.retained) {
    const { sourceRow } = log;
    const list = outcome.retained?.[row] ?? [];
    const known = outcome.sourceRows?.[row];
    // Of a log that was gone through batch by batch, source rows were noted on the way.
    result.retained = known
      ? Array.from(known)
      : Array.from(list, (t) => (sourceRow === null || sourceRow.length === 0 ? t : sourceRow[t]));
  }
  if (options.blockStatistics) result.blocks = blockRows(log.payoff.scale, outcome.stats, row);
  if (outcome.states !== null) result.state = outcome.states[row];
  return result;
}

/**
 * True where several replicas on the whole log did the same in every block: a learner that draws nothing is run many times
 * over, and the runs are one. With a subsample replicas differ in what they see, so equal statistics mean nothing.
 */
export function alike(
  { rules }: Pick<ReplayJob, 'rules'>,
  { stats, consumed }: ReplayOutcome,
  rows: readonly number[],
): boolean {
  if (rules.subsample < 1 || rows.length < 2) return false;
  const [first, ...others] = rows;
  return others.every((row) => {
    if (consumed[row] !== consumed[first]) return false;
    for (let b = 0; b < stats.blocks; b++) {
      const [i, j] = [first * stats.blocks + b, row * stats.blocks + b];
      if ([stats.matches, ...stats.columns].some((column) => column[i] !== column[j])) return false;
    }
    return true;
  });
}
