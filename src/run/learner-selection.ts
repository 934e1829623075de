/** What a replay says of all its learners at once, by blocks of the log that their replicas share. */

import { drawMaxima, drawSums } from '../engine/cpu/draws.js';
import { Estimates } from '../estimate/estimates.js';
import { chooseEstimators } from '../estimate/estimators/choose.js';
import { type LearnerStanding, learnerStanding, runsDiffer } from '../estimate/selection/learner-standing.js';
import { FEW_BLOCKS } from '../estimate/selection/standing.js';
import { plural } from '../words.js';
import {
  BAND_BLOCKS,
  isAsked,
  loggedValue,
  mayStand,
  type Selected,
  type SelectionOptions,
  selectAmong,
} from './selection.js';
import type { StreamReplay } from './stream-replay.js';

/** Sums of replicas in blocks where nothing else is asked: more replicas take fewer blocks. */
const MOST_SUMS = 2 ** 22;
/** Learners that a warning names. */
const MOST_NAMED = 3;

/** Blocks that bands of so many replicas rest on; absent: as many as without bands. */
export function bandBlocks({ bands }: SelectionOptions, replicas: number): number | undefined {
  return bands === false || replicas * BAND_BLOCKS > MOST_SUMS ? undefined : BAND_BLOCKS;
}

export interface SelectedLearners extends Selected {
  /** By index, as what follows. */
  readonly learners: readonly LearnerStanding[];
  /** Its replicas differ by more than chance; `null`: they cannot tell. */
  readonly differ: readonly (boolean | null)[];
}

/** @param level of statements, and of intervals over replicas. */
export async function selectLearners(
  { work, outcome, outline, logged }: Pick<StreamReplay, 'work' | 'outcome' | 'outline' | 'logged'>,
  asked: SelectionOptions,
  level: number,
): Promise<SelectedLearners> {
  const { scale } = work.head.payoff;
  const estimates = new Estimates(work.head, { chosen: chooseEstimators(['replay'], {}), validEvents: null });
  const own = loggedValue(estimates, logged, {
    ...{ confidence: level, effectiveArms: work.effectiveArms, mostWeight: null },
    dependent: outline.description.kind !== 'run',
  });
  const names = work.settings.map(({ name }) => name);
  const rows: number[][] = names.map(() => []);
  for (const [row, { setting }] of work.replicas.entries()) rows[setting].push(row);
  const learners = rows.map((replicas) => learnerStanding(outcome.stats, replicas, scale, level));
  const differ = learners.map((learner) => runsDiffer(learner, learners.length));
  const told = { learners, differ, logged: own };
  const unlike = unlikeRuns(names, told);
  if (!mayStand(asked, {}) || names.length < (isAsked(asked) ? 1 : 2))
    return { ...told, selection: null, standings: [], warnings: unlike };
  const pairs = Math.max(...learners.map((learner) => learner.pairs));
  const compared = {
    ...{ names, standings: learners, log: learnerStanding(logged, [0], scale, level), blocks: pairs, level },
    range: [scale.low, scale.high] as const,
  };
  const drawer = { maxima: drawMaxima, sums: drawSums };
  const found = await selectAmong({ what: 'learners', ...compared }, asked, drawer);
  return { ...told, ...found, warnings: [...found.warnings, ...fewPairs(pairs), ...unlike] };
}

function fewPairs(pairs: number): string[] {
  if (pairs >= FEW_BLOCKS) return [];
  return [
    `bands rest on ${plural(pairs, 'pair')} of neighbouring blocks in which learners matched, and fewer than ${FEW_BLOCKS} do not tell well how payoffs vary: they are wider than need be`,
  ];
}

/** One warning for all learners whose replicas are unlike. */
function unlikeRuns(
  names: readonly string[],
  { learners, differ }: Pick<SelectedLearners, 'learners' | 'differ'>,
): string[] {
  const unlike = names.flatMap((name, s) => {
    if (differ[s] !== true) return [];
    const { summary, within } = learners[s];
    const [spread, due] = [summary.std ?? 0, Math.sqrt(within)].map((size) => size.toPrecision(2));
    return [`${name} (std ${spread}, at most ${due} is due)`];
  });
  if (unlike.length === 0) return [];
  const more = unlike.length > MOST_NAMED ? ` and ${unlike.length - MOST_NAMED} more` : '';
  return [
    `replicas differ by more than the events that they met explain: ${unlike.slice(0, MOST_NAMED).join(', ')}${more}; what such a learner earns hangs on what it happens to see first, and from another log it may learn otherwise`,
  ];
}
