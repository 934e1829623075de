/** Sums over levels, on any engine. */
import { describe, expect } from 'vitest';
import type { Backend } from '#dist/engine/contract.js';
import { type BlockMaker, PeriodMaker, RunMaker, UserMaker } from '#dist/estimate/blocks/block-makers.js';
import { blockEvents, runBlocks } from '#dist/estimate/blocks/blocks.js';
import { blockOfEvents, LevelBlocks, statisticsOfLevel, sumOverLevels } from '#dist/estimate/blocks/levels.js';
import { userHashes } from '#dist/estimate/blocks/user-hash.js';
import { addBatchStatistics, emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { kindsOf } from '#dist/estimate/sums/summands.js';
import type { EventLog } from '#dist/log/event-log.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { eachCase } from '../long.js';
import { streamLog } from '../run/stream-log.js';
import { statisticsDifference, summandsOf } from '../statistics.js';

const EVENTS = 700;
const POLICIES = parsePolicySet([
  { family: 'constant' },
  {
    family: 'linear',
    weights: Array.from({ length: 9 }, (_, p) =>
      Array.from({ length: 6 }, (_, a) => Array.from({ length: 4 }, (_, j) => ((p * 31 + a * 17 + j * 7) % 13) - 6)),
    ),
  },
  { family: 'table', keys: ['segment'], tables: [{ choices: { new: 2, lost: 5 }, default: 0 }] },
  { family: 'uniform', seed: 4, replicas: 2 },
]);

const MAKERS: readonly (readonly [string, (log: EventLog) => BlockMaker])[] = [
  ['runs', ({ events }) => new RunMaker(runBlocks(events, 6))],
  ['periods', () => new PeriodMaker(5_400_000)],
  ['users', ({ user }) => new UserMaker(5, userHashes(user?.levels ?? []))],
];

/** Levels that mix, that never occur in some blocks, that are one, and that are many. */
const LEVELS: readonly (readonly [levels: number, of: (t: number) => number])[] = [
  [1, () => 0],
  [2, (t) => Number(t % 3 === 0)],
  [3, (t) => (t < 100 ? 2 : t % 2)],
  [33, (t) => (t * t + (t >> 3)) % 33],
];

const CASES = MAKERS.flatMap(([by, make], m) =>
  LEVELS.map(([levels, of], v) => ({
    name: `${levels} level(s) of blocks that are ${by}`,
    ...{ make, levels, of },
    long: m !== 1 && v !== 3,
  })),
);

/** Registers the tests. */
export function levelTests(name: string, engine: () => Backend): void {
  describe(`sums over levels, ${name}`, () => {
    eachCase(CASES, async ({ make, levels, of }) => {
      const log = streamLog({ events: EVENTS, sorted: false, maxPayoff: 9 });
      const maker = make(log);
      maker.count(log);
      const outline = maker.outline();
      const cut = maker.cut(log);
      const blockOf = blockOfEvents(cut, log.events);
      const level = Uint32Array.from({ length: log.events }, (_, t) => of(t));
      const cutter = new LevelBlocks(levels, outline.blocks);
      const fine = cutter.cut(cut, blockOf, level);
      const summands = summandsOf(log);
      for (const compiled of await compilePolicySet(POLICIES, log)) {
        const all = (events: Float64Array) => emptyBlockStatistics(compiled.policies, events, kindsOf(summands));
        const stats = all(cutter.events);
        addBatchStatistics(stats, await engine().evaluate(log, fine.plan, compiled, summands), fine.of);
        const needed = all(blockEvents(outline));
        addBatchStatistics(needed, await engine().evaluate(log, cut.plan, compiled, summands), cut.of);
        expect(statisticsDifference(sumOverLevels(stats, levels), needed)).toBeNull();
        // A level by itself: a plan of its events alone.
        for (let v = 0; v < levels; v += 8) {
          const own = Array.from({ length: outline.blocks }, (_, b) =>
            [...blockOf.keys()].filter((t) => blockOf[t] === b && of(t) === v),
          );
          const starts = new Float64Array(outline.blocks + 1);
          own.forEach((events, b) => {
            starts[b + 1] = starts[b] + events.length;
          });
          const plan = { ...outline, starts, order: Uint32Array.from(own.flat()) };
          const one = await engine().evaluate(log, plan, compiled, summands);
          expect(statisticsDifference(statisticsOfLevel(stats, levels, v), one)).toBeNull();
        }
      }
    });
  });
}
