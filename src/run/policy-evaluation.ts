/** What a run of policies has found, of all events and of those of each level, when everything is added up. */

import type { Estimates } from '../estimate/estimates.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import { setSize } from '../log/pools.js';
import type { AnyPolicies } from '../policy/drawn/drawn.js';
import type { LevelRun } from './levels/level-run.js';
import type { LogRun } from './log-run.js';
import type { PolicySums } from './policy-sums.js';
import type { Evaluation, StreamEvaluation } from './stream-evaluation.js';

/** A run whose policies are evaluated. */
export interface EvaluatedRun {
  readonly run: LogRun;
  readonly levels: LevelRun;
  /** Each entry's policies without events: their names. */
  readonly entries: readonly AnyPolicies[];
  /** Of each entry. */
  readonly sums: readonly PolicySums[];
  /** Columns over all events. */
  readonly all: BlockStatistics;
  /** Mixtures are made of sums. */
  readonly mixes: boolean;
  /** Those that were used. */
  readonly estimates: Estimates;
}

export function evaluationOf(evaluated: EvaluatedRun): Omit<StreamEvaluation, 'engine' | 'seeds' | 'warnings'> {
  const { run, levels, estimates } = evaluated;
  const { survey, outline, uniformity, stream } = run;
  return {
    ...{ survey, outline, uniformity, estimates, levels: levels.levels },
    ...partOf(evaluated, (stats) => levels.whole(stats), survey.arms.value(stream.head)),
    ofLevel: (level) => partOf(evaluated, levels.of(level), levels.effectiveArms(stream.head, level)),
  };
}

/** @param part takes statistics of some events out. */
function partOf(
  { run, levels, entries, sums, all: ofAll, mixes, estimates }: EvaluatedRun,
  part: (stats: BlockStatistics) => BlockStatistics,
  effectiveArms: number,
): Evaluation {
  const all = part(ofAll);
  const evaluated = entries.map((packed, i) => {
    const { policies, names, family, kind } = packed;
    const { stats, first } = sums[i];
    const mixture = packed.kind === 'drawn' ? packed.mixture : undefined;
    if (!mixes || mixture === undefined)
      return { policies, names, family, kind, stats: levels.byRate(part(stats)), first };
    const candidates = setSize(run.stream.head.pools) ?? 0;
    const mixed = estimates.mixtures(part(stats), all, mixture.epsilon, candidates);
    return { policies, names, family, kind, stats: levels.byRate(mixed), first };
  });
  return { evaluated, logged: levels.byRate(all), effectiveArms };
}
