/** Candidate sets from arrays. */

import { type Fault, InputError } from '../../errors.js';
import { lookAlikeOf } from '../../names/look-alike.js';
import { listNames } from '../../names/order.js';
import { plural } from '../../words.js';
import { idText } from '../build/arms.js';
import type { ArmDictionary, PoolTable } from '../event-log.js';
import { everyArm, PoolPacker, type PoolResult } from '../pools.js';
import { type Candidates, type Id, unknownArm } from './column-checks.js';

/**
 * Pools of a log made in code; checks that every logged arm is one of its event's candidates.
 *
 * @param byIndex candidates are arm indices, not ids.
 */
export function candidateColumn(
  candidates: Candidates | undefined,
  byIndex: boolean,
  arms: ArmDictionary,
  arm: Uint32Array,
): PoolTable {
  const events = arm.length;
  if (candidates === undefined) return everyArm(arms.ids.length);
  const packer = new PoolPacker(events);
  const { count, list, ofEvent, shared } = candidateLists(candidates, events);
  let poolOf: (t: number) => number;
  if (ofEvent !== null) {
    const known: number[] = [];
    for (let s = 0; s < count; s++) known.push(poolOfList(packer, list(s), arms, byIndex, `candidates.pools[${s}]`));
    poolOf = (t) => known[ofEvent(t)];
  } else if (shared) {
    const s = poolOfList(packer, list(0), arms, byIndex, 'candidates');
    poolOf = () => s;
  } else poolOf = (t) => poolOfList(packer, list(t), arms, byIndex, 'candidates', t);
  for (let t = 0; t < events; t++) {
    const s = poolOf(t);
    if (!packer.has(s, arm[t])) {
      throw new InputError({ column: 'arm', row: t, ...outsideCandidates(arms, arm[t], packer.members(s)) });
    }
    packer.push(s);
  }
  return packer.finish(arms.ids.length);
}

/** Distinct lists of candidates, as they were given. */
export interface CandidateLists {
  readonly count: number;
  list(s: number): ArrayLike<Id>;
  /** List of an event; `null`: there is a list per event, or one for all. @throws InputError where it has none. */
  readonly ofEvent: ((t: number) => number) | null;
  /** One list for all events. */
  readonly shared: boolean;
}

/** @throws InputError where their number is not that of the events. */
export function candidateLists(candidates: Candidates, events: number): CandidateLists {
  if ('pools' in candidates) {
    const { pools, pool } = candidates;
    checkCount(pool.length, events);
    const ofEvent = (t: number): number => {
      if (pools[pool[t]] !== undefined) return pool[t];
      throw new InputError({
        column: 'candidates.pool',
        row: t,
        problem: 'not the number of a pool',
        got: String(pool[t]),
        needed: `an integer in 0 .. ${pools.length - 1}`,
      });
    };
    return { count: pools.length, list: (s) => pools[s], ofEvent, shared: false };
  }
  if (isShared(candidates)) {
    const list = candidates;
    return { count: 1, list: () => list, ofEvent: null, shared: true };
  }
  const lists = candidates;
  checkCount(lists.length, events);
  return { count: events, list: (t) => lists[t], ofEvent: null, shared: false };
}

/** A logged arm that could not have been shown. */
export function outsideCandidates(arms: ArmDictionary, arm: number, members: readonly number[]): Fault {
  const ids = members.map((a) => arms.ids[a]);
  const alike = lookAlikeOf(arms.ids[arm], ids);
  return {
    problem: "the logged arm is not among the event's candidates",
    got: JSON.stringify(arms.ids[arm]),
    needed: `one of ${listNames(ids)}`,
    hint:
      alike === null
        ? 'correct the candidates: a logged arm was shown, so it was a candidate'
        : `is it ${JSON.stringify(alike)}? write an arm in one way`,
  };
}

/** An empty list, or one with an arm twice. */
export function badCandidates(arms: ArmDictionary, result: Exclude<PoolResult, { pool: number }>): Fault {
  if (result.fault === 'empty')
    return { problem: 'the list of candidates is empty', got: '[]', needed: 'at least the logged arm' };
  return {
    problem: 'the list of candidates names an arm twice',
    got: JSON.stringify(arms.ids[result.arm]),
    needed: 'each candidate once',
  };
}

function checkCount(count: number, events: number): void {
  if (count === events) return;
  throw new InputError({
    column: 'candidates',
    problem: 'columns differ in length',
    got: `${plural(count, 'entry', 'entries')}`,
    needed: `${events}, the number of payoffs`,
  });
}

function isShared(candidates: Exclude<Candidates, { pools: unknown }>): candidates is ArrayLike<Id> {
  return candidates.length > 0 && typeof candidates[0] !== 'object';
}

/** Arm indices of a list. @throws InputError for what is no arm. */
export function listedArms(
  list: ArrayLike<Id>,
  arms: ArmDictionary,
  byIndex: boolean,
  column: string,
  row?: number,
): Int32Array {
  const indices = new Int32Array(list.length);
  for (let j = 0; j < list.length; j++) {
    const id = list[j];
    const a = byIndex
      ? Number.isInteger(id) && arms.ids[Number(id)] !== undefined
        ? Number(id)
        : -1
      : (arms.index.get(idText(id)) ?? -1);
    if (a < 0) {
      const fault: Fault = byIndex
        ? { problem: 'not an arm index', got: String(id), needed: `an integer in 0 .. ${arms.ids.length - 1}` }
        : { ...unknownArm(idText(id), arms), problem: 'candidate is not in the given list of arms' };
      throw new InputError({ column, row, ...fault });
    }
    indices[j] = a;
  }
  return indices;
}

function poolOfList(
  packer: PoolPacker,
  list: ArrayLike<Id>,
  arms: ArmDictionary,
  byIndex: boolean,
  column: string,
  row?: number,
): number {
  const indices = listedArms(list, arms, byIndex, column, row);
  const result = packer.intern(indices, 0, indices.length);
  if ('pool' in result) return result.pool;
  throw new InputError({ column, row, ...badCandidates(arms, result) });
}
