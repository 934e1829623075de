/** Which replicas of a replay are verified. */

import type { ChosenReplayBackend } from '../choose-learner.js';
import type { ReplayJob } from '../learner-contract.js';
import { evenly } from './evenly.js';

/** Replicas that are spot-checked where an engine other than the CPU's replayed them and nothing else was asked for. */
const SPOT_CHECK = 3;

/** What to verify. */
export interface VerificationPlan {
  /** Indices into the job's replicas, ascending. */
  readonly replicas: readonly number[];
  readonly every: boolean;
}

/**
 * What a caller's choice means: `true` every replica, a number so many of them, each decision; `false` nothing. By default
 * a spot check of retained events, unless the CPU engine replays, which is the definition; learners that it replays
 * beside a GPU are left out of the spot check.
 */
export function planVerification(
  job: Pick<ReplayJob, 'settings' | 'replicas'>,
  verify: boolean | number | undefined,
  { report, onCpu }: Pick<ChosenReplayBackend, 'report' | 'onCpu'>,
): VerificationPlan | null {
  if (verify === false || (verify === undefined && report.device === 'cpu')) return null;
  if (verify !== undefined)
    return { replicas: replicasToVerify(job, verify === true ? job.replicas.length : verify), every: true };
  const replicas = replicasToVerify(job, SPOT_CHECK, (setting) => !onCpu.has(job.settings[setting]));
  return replicas.length === 0 ? null : { replicas, every: false };
}

/**
 * `count` replicas, the same ones every time: one of each setting as long as that suffices or the count allows, settings
 * and numbers of replicas spread evenly.
 *
 * @param eligible settings to choose from, by index; default: all.
 * @returns Indices into the job's replicas, ascending.
 */
export function replicasToVerify(
  { settings, replicas }: Pick<ReplayJob, 'settings' | 'replicas'>,
  count: number,
  eligible: (setting: number) => boolean = () => true,
): number[] {
  const rows: number[][] = settings.map(() => []);
  replicas.forEach(({ setting }, row) => {
    if (eligible(setting)) rows[setting].push(row);
  });
  const groups = rows.filter(({ length }) => length > 0);
  const shares = groups.map(() => 0);
  let left = count;
  for (let open = groups.map((_, g) => g); left > 0 && open.length > 0; ) {
    for (const i of evenly(left, open.length)) shares[open[i]]++;
    left -= Math.min(left, open.length);
    open = open.filter((g) => shares[g] < groups[g].length);
  }
  return groups.flatMap((group, g) => pick(group, shares[g], g / Math.max(1, groups.length - 1))).sort((a, b) => a - b);
}

/** `count` members, spread evenly; a single one at this share of the way, so that groups show different ones. */
function pick(group: readonly number[], count: number, way: number): number[] {
  if (count === 1) return [group[Math.round(way * (group.length - 1))]];
  return evenly(count, group.length).map((i) => group[i]);
}
