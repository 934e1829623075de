/** Whether events are decided in groups, and the groups: chosen by what a part of the log would take with them and without. */

import { availableBytes } from '../../../log/build/memory.js';
import { screenOf } from '../../../policy/scored-families.js';
import { isWorthScreening, type Screen } from '../../../policy/screen.js';
import type { Pauses } from '../../pauses.js';
import { sharedNumbers } from '../../shared.js';
import { numbersPerPolicy } from '../choice-lists.js';
import type { CpuJob } from '../job.js';
import { GroupMatcher } from './matcher.js';
import { featureScale } from './scale.js';
import { summedTables, TABLES } from './tables.js';
import { type Groups, type GroupTrees, growTrees, MEMORY_SHARE, treeBytes } from './trees.js';

/** Most events, with choice tables and without, and blocks of a task: growing their trees takes a second or two. */
const TILE_EVENTS = 1 << 21;
const TABLE_TILE_EVENTS = 1 << 19;
const TILE_BLOCKS = 1 << 16;

/** Fewer policies are not worth looking into. */
const FEWEST_POLICIES = 64;
/** Policies that are tried, and on how many events: fewer tell nothing. */
const TRIED_POLICIES = 8;
const LEAST_TRIED = 1 << 13;
const MOST_TRIED = 1 << 16;
/** Decisions for each event that is tried: so many take some thirty times as long. */
const DECISIONS_PER_TRIED = 1 << 12;

/**
 * What things take, in scores of four events. Measured at d = 6, K = 20: a score of boxes two, a decision a thirtieth; and without
 * groups nearly two for each score, of which there are more, and a look at the choice of a cell a third. Growing trees takes as
 * long for an event as `GROWING` scores, whatever d.
 */
const BOX_SCORE = 2;
const DECISION = 1 / 30;
const PLAIN_SCORE = 1.8;
const PLAIN_LOOK_UP = 0.3;
const GROWING = 150;

/**
 * With choice tables: a look at an event among those that may win takes two more, and any decision a third. Without groups a choice
 * takes more for each score, another few where cells are shared and tables are looked up event by event, and a column for each match
 * one; in groups a fifth. A number of a list of choices takes a third. What is copied of an event takes as long for each number as
 * several scores.
 */
const LOOK = 1.7;
const TABLE_DECISION = 1 / 3;
const PLAIN_CHOICE = 1.3;
const PLAIN_GATHER = 3;
const PLAIN_NUMBER = 1;
const NUMBER = 0.2;
const LISTED_NUMBER = 1 / 3;
const COPYING = 7;

type GroupJob = Pick<CpuJob, 'log' | 'compiled' | 'worklist' | 'stats' | 'lists'>;

/**
 * The groups of a job; `null` where they do not pay, or its policies and summands are not of the kind. Gives way to timers and signals
 * between runs of blocks.
 *
 * @param always whether they pay or not.
 */
export async function makeGroups(
  job: GroupJob,
  always: boolean,
  pauses: Pick<Pauses, 'count' | 'yieldToEventLoop'>,
): Promise<Groups | null> {
  const { compiled, worklist, stats, log } = job;
  const { entries, gathered } = worklist;
  if (compiled.kind !== 'scored' || entries.words === null || entries.count === 0) return null;
  if (gathered !== null && summedTables(worklist) === null) return null;
  const screen = screenOf(compiled, log);
  if (!isWorthScreening(screen) || screen.dimension === 0 || screen.policies === 0) return null;
  const scale = featureScale(screen);
  if (!always && !doPay(job, screen, scale)) return null;
  const tile = blockTile(entries.starts, gathered === null ? TILE_EVENTS : TABLE_TILE_EVENTS);
  const trees: GroupTrees[] = [];
  for (let b = 0; b < stats.blocks; b += tile) {
    if (pauses.count(0)) await pauses.yieldToEventLoop();
    const grown = growTrees(screen, worklist, [b, Math.min(stats.blocks, b + tile)], scale);
    if (grown === null) return null;
    trees.push(grown);
  }
  return { blockTile: tile, trees, decided: sharedNumbers(trees.length * stats.policies) };
}

/** As many blocks as a task may have, wherever they begin. */
function blockTile(starts: Float64Array, most: number): number {
  const blocks = starts.length - 1;
  let tile = Math.min(blocks, TILE_BLOCKS);
  const isTooLarge = (): boolean => {
    for (let b = 0; b < blocks; b += tile) if (starts[Math.min(blocks, b + tile)] - starts[b] > most) return true;
    return false;
  };
  while (tile > 1 && isTooLarge()) tile = Math.ceil(tile / 2);
  return tile;
}

/** Tries some policies on some blocks, with groups and without. */
function doPay(job: GroupJob, screen: Screen, scale: Float64Array): boolean {
  const { worklist, lists } = job;
  const { starts, count, cell } = worklist.entries;
  const { policies } = screen;
  const most = Math.min(MOST_TRIED, Math.floor((policies * count) / DECISIONS_PER_TRIED));
  if (policies < FEWEST_POLICIES || most < LEAST_TRIED) return false;
  if (treeBytes(screen, worklist) > availableBytes() / MEMORY_SHARE) return false;
  const trees = growTrees(screen, worklist, [middleBlock(starts, most), starts.length - 1], scale, most);
  if (trees === null) return false;
  const matcher = new GroupMatcher(job, screen, trees, 1);
  const tried = Array.from({ length: TRIED_POLICIES }, (_, i) => Math.floor(((i + 0.5) * policies) / TRIED_POLICIES));
  const decisions = TRIED_POLICIES * trees.events;
  const candidates = meanCandidates(screen);
  const { eventScores, boxScores, looked } = matcher.try(tried, false);
  const scores = (eventScores + BOX_SCORE * boxScores) / decisions;
  const rows = (share: number): number => (share * candidates) / 4;
  const listed = lists === null ? null : (LISTED_NUMBER * numbersPerPolicy(lists)) / count;
  if (worklist.gathered !== null) {
    const columns = worklist.kinds.length;
    const choices = PLAIN_CHOICE * rows(worklist.cells / count);
    const plain = choices + (listed ?? (cell === null ? 0 : PLAIN_GATHER) + (PLAIN_NUMBER * columns) / candidates);
    const grouped = scores + (LOOK * looked) / decisions + TABLE_DECISION + (NUMBER * columns) / candidates;
    return policies * (plain - grouped) > GROWING + COPYING * (columns + TABLES * candidates);
  }
  const plain =
    cell === null
      ? (PLAIN_SCORE * matcher.try(tried, true).eventScores) / decisions
      : (listed ?? PLAIN_LOOK_UP) + PLAIN_SCORE * rows(worklist.cells / count);
  return policies * (plain - scores - DECISION) > GROWING;
}

function meanCandidates({ pools }: Screen): number {
  return pools.offsets[pools.count] / pools.count;
}

/** The block from which on `most` entries in the middle of the log are. */
function middleBlock(starts: Float64Array, most: number): number {
  const blocks = starts.length - 1;
  const start = (starts[blocks] - most) / 2;
  let b = 0;
  while (b + 1 < blocks && starts[b + 1] <= start) b++;
  return b;
}
