/** Comparing block statistics, and the plainest possible way to compute them. */

import { type BlockPlan, blockEvents } from '#dist/estimate/blocks/blocks.js';
import { replayColumns } from '#dist/estimate/estimators/replay-totals.js';
import { type BlockStatistics, emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { isChoiceTable, kindsOf, type Summand } from '#dist/estimate/sums/summands.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { CompiledPolicies } from '#dist/policy/compiled.js';
import { referenceChoice } from '#dist/policy/reference.js';

/** In a loop: `Uint32Array.from` would take most of the time of a table of predictions. */
function mixed(length: number, factor: number): Uint32Array {
  const words = new Uint32Array(length);
  for (let i = 0; i < length; i++) words[i] = Math.imul(i + 1, factor);
  return words;
}

/** Replay's columns and one more of each reduction: words of all sizes, as the weights of other estimators are. */
export function columnsOf(log: EventLog): Summand[] {
  return [
    ...replayColumns(log.payoff),
    { name: 'words', reduce: 'sum', words: mixed(log.events, 0x9e3779b1) },
    { name: 'largest', reduce: 'max', words: mixed(log.events, 0x85ebca6b) },
  ];
}

/** Those and tables: a row per event, and rows that many events share; each reduction. */
export function summandsOf(log: EventLog): Summand[] {
  const arms = log.arms.ids.length;
  const rows = 7;
  const row = Uint32Array.from({ length: log.events }, (_, t) => (t * t) % rows);
  return [
    ...columnsOf(log),
    { name: 'ones', reduce: 'sum', arms, row: new Uint32Array(log.events), words: new Uint32Array(arms).fill(1) },
    { name: 'predictions', reduce: 'sum', arms, row: null, words: mixed(log.events * arms, 0xc2b2ae35) },
    { name: 'largest of a row', reduce: 'max', arms, row, words: mixed(rows * arms, 0x27d4eb2f) },
  ];
}

/** Match columns and so many tables that share their rows, a row per event, all added up: as estimators with a model have them. */
export function sumsOf(log: EventLog, tables: number): Summand[] {
  const arms = log.arms.ids.length;
  return [
    ...columnsOf(log),
    ...Array.from({ length: tables }, (_, n) => ({
      ...{ name: `table ${n}`, reduce: 'sum' as const, arms, row: null },
      words: mixed(log.events * arms, 0xc2b2ae35 + 2 * n),
    })),
  ];
}

/** Block statistics by definition: every policy at every event, in BigInt. @param choose the definition of its choices. */
export function referenceStatistics(
  log: EventLog,
  plan: BlockPlan,
  compiled: CompiledPolicies,
  summands: readonly Summand[] = columnsOf(log),
  choose = referenceChoice(compiled, log),
): BlockStatistics {
  const hasTables = summands.some(isChoiceTable);
  const stats = emptyBlockStatistics(compiled.policies, blockEvents(plan), kindsOf(summands));
  for (let p = 0; p < compiled.policies; p++) {
    for (let b = 0; b < plan.blocks; b++) {
      const at = p * plan.blocks + b;
      const words: number[][] = summands.map(() => []);
      for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
        const t = plan.order === null ? i : plan.order[i];
        const choice = choose(p, t);
        const isMatch = choice === log.arm[t];
        if (isMatch) stats.matches[at]++;
        const isCounted = hasTables && isCandidate(log, t, choice);
        summands.forEach((summand, c) => {
          if (!isChoiceTable(summand)) {
            if (isMatch) words[c].push(summand.words[t]);
          } else if (isCounted) words[c].push(summand.words[(summand.row?.[t] ?? t) * summand.arms + choice]);
        });
      }
      summands.forEach(({ reduce }, c) => {
        stats.columns[c][at] =
          reduce === 'sum'
            ? Number(words[c].reduce((all, word) => all + BigInt(word), 0n))
            : words[c].reduce((most, word) => Math.max(most, word), 0);
      });
    }
  }
  return stats;
}

function isCandidate({ pools }: EventLog, t: number, arm: number): boolean {
  const pool = pools.pool?.[t] ?? 0;
  return pools.arms.subarray(pools.offsets[pool], pools.offsets[pool + 1]).includes(arm);
}

/** First difference between two results as text, or `null`: names policy, block and column. */
export function statisticsDifference(got: BlockStatistics, needed: BlockStatistics): string | null {
  const shape = ({ policies, blocks, kinds }: BlockStatistics): string =>
    `[${policies}, ${blocks}] of ${['matches', ...kinds.map(({ name }) => name)].join(', ')}`;
  if (shape(got) !== shape(needed)) return `shape ${shape(got)}, needed ${shape(needed)}`;
  const names = ['events', 'matches', ...needed.kinds.map(({ name }) => name)];
  const all = [got.events, got.matches, ...got.columns];
  for (const [c, b] of [needed.events, needed.matches, ...needed.columns].entries()) {
    const a = all[c];
    if (a.length !== b.length) return `${names[c]}: length ${a.length}, needed ${b.length}`;
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== b[i])
        return `${names[c]}, policy ${Math.floor(i / got.blocks)}, block ${i % got.blocks}: got ${a[i]}, needed ${b[i]}`;
    }
  }
  return null;
}
