/** Which replicas run side by side on a GPU, by kernel and by what fits the device. Pure: no device. */

import { EngineError } from '../../errors.js';
import type { PreparedLearner } from '../../learner/set/learner-set.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReplayWork } from '../learner-contract.js';
import { MOST_CANDIDATES } from './chunk.js';
import type { LearnerKernel } from './learner-kernel.js';
import { kernelOf } from './learner-kernels.js';
import { type GroupPlan, planGroup, type ReplayLimits, type ReplayOverrides } from './plan.js';
import { beyondKernel } from './range.js';

/** Replicas that run side by side with one kernel. */
export interface PlannedGroup {
  readonly kernel: LearnerKernel;
  readonly plan: GroupPlan;
  readonly rows: readonly Member[];
}

/** A replica by its index in the work, with its setting's kernel. */
interface Member {
  readonly row: number;
  readonly kernel: LearnerKernel;
}

/** How the replicas of a work are shared out. */
export interface Shares {
  /** Sets of groups, one of each kernel: those of a set play at the same time. */
  readonly sets: readonly (readonly PlannedGroup[])[];
  /** Replicas without a kernel. */
  readonly cpuReplicas: readonly number[];
  /** Names of their settings. */
  readonly names: readonly string[];
}

/** @throws EngineError where the state of a single replica does not fit the device. */
export function shareOut(work: ReplayWork, limits: ReplayLimits, sizes: ReplayOverrides | undefined): Shares {
  const kernels = work.settings.map((setting) => kernelFor(setting, work, sizes?.widestTies));
  const here: Member[] = [];
  const cpuReplicas: number[] = [];
  work.replicas.forEach(({ setting }, row) => {
    const kernel = kernels[setting];
    if (kernel === null) cpuReplicas.push(row);
    else here.push({ row, kernel });
  });
  const names = work.settings.filter((_, i) => kernels[i] === null).map(({ name }) => name);
  return { sets: setsOf(planGroups(work, here, limits, sizes)), cpuReplicas, names };
}

/** Decisions are frozen between updates. */
export function isFrozen({ rules }: Pick<ReplayWork, 'rules'>): boolean {
  return rules.updateEvery !== null && rules.updateEvery !== 1;
}

/** `null`: there is no kernel for it, or not for its numbers, or nothing to play. */
function kernelFor(
  { algorithm, parameters, given }: PreparedLearner,
  work: ReplayWork,
  widestTies: number | undefined,
): LearnerKernel | null {
  const make = work.events === 0 || largestPool(work.head) > MOST_CANDIDATES ? null : kernelOf(algorithm);
  return make === null || beyondKernel(algorithm, given, work.head, widestTies) !== null
    ? null
    : make(parameters, work.head, isFrozen(work));
}

/** Replicas by kernel, cut into groups that fit the device. */
function planGroups(
  { effectiveArms }: ReplayWork,
  rows: readonly Member[],
  limits: ReplayLimits,
  sizes: ReplayOverrides | undefined,
): PlannedGroup[] {
  const groups = new Map<string, Member[]>();
  for (const one of rows) {
    const group = groups.get(one.kernel.key);
    if (group === undefined) groups.set(one.kernel.key, [one]);
    else group.push(one);
  }
  return [...groups.values()].flatMap((group) => {
    const [{ kernel }] = group;
    const plan = planGroup(limits, kernel, group.length, effectiveArms, sizes);
    if (plan === null) throw tooLarge(kernel, limits);
    return Array.from({ length: Math.ceil(group.length / plan.groupSize) }, (_, i) => ({
      kernel,
      plan,
      rows: group.slice(i * plan.groupSize, (i + 1) * plan.groupSize),
    }));
  });
}

/** One group of each kernel at a time. */
function setsOf(groups: readonly PlannedGroup[]): PlannedGroup[][] {
  const waiting = [...groups];
  const sets: PlannedGroup[][] = [];
  while (waiting.length > 0) {
    const taken = new Map<string, PlannedGroup>();
    for (const group of [...waiting]) {
      if (taken.has(group.kernel.key)) continue;
      taken.set(group.kernel.key, group);
      waiting.splice(waiting.indexOf(group), 1);
    }
    sets.push([...taken.values()]);
  }
  return sets;
}

function largestPool({ pools: { offsets, count } }: EventLog): number {
  let largest = 0;
  for (let s = 0; s < count; s++) largest = Math.max(largest, offsets[s + 1] - offsets[s]);
  return largest;
}

function tooLarge({ key, stateWords, memory }: LearnerKernel, limits: ReplayLimits): EngineError {
  const [name] = key.split(' ');
  const bytes = (n: number): string => n.toLocaleString('en-US');
  const binding = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  return new EngineError(
    `the state of ${name} does not fit this device\n  got:    ${bytes(stateWords * 4)} bytes of state and ${bytes(memory(1).fixed)} bytes of workgroup memory for one replica\n  needed: at most ${bytes(binding)} and ${bytes(limits.maxComputeWorkgroupStorageSize)} bytes\n  try:    --device cpu`,
  );
}
