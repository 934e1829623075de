/**
 * @module-tag long
 *
 * LinUCB of the Open Bandit Pipeline (0.5.5) on the men's log: every retained row.
 *
 * `LinUCB_tol` is its class with our tie rule for scores. Its context is pandas' get_dummies(drop_first): ours without
 * the first level of each feature and without the constant. `LinUCB` alone ranks by an unstable sort, so that ties are
 * numpy's affair; those runs have no rule to be compared with.
 */
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { Draws } from '#dist/learner/draws.js';
import { linucb } from '#dist/learner/set/entries.js';
import {
  type LearnerInput,
  type PreparedLearner,
  parseLearnerSet,
  prepareLearners,
} from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { replay } from '#dist/replay.js';
import { MEN, reference, SUBSETS, sharedFile } from './reference.js';

interface Run {
  n_logged: number;
  len_list: number;
  T: number;
  G: number;
  per_arm_T: number[];
  per_arm_G: number[];
  accepted_rows: number[];
}

/** Tolerance of the reference's tie rule. */
const TIE = 1e-9;
const { meta, runs } = reference<{ meta: { obp_context_dim: number }; runs: Record<string, Run> }>(
  'obp_sequential_random_men.json',
);
const selected = Object.entries(runs).filter(([name]) => name.includes('LinUCB_tol'));

/** The men's log with the Open Bandit Pipeline's context, and the file's row of each event. */
async function menLog(subset: string): Promise<{ log: EventLog; rows: ArrayLike<number> }> {
  const men = await readLog([sharedFile(MEN)], { format: 'obd', where: SUBSETS[subset], keys: [] });
  const { contexts, events } = men;
  const feature = contexts.columns.map((name) => name.split('=')[0]);
  const kept = contexts.columns.flatMap((name, j) => (name.includes('=') && feature[j] === feature[j - 1] ? [j] : []));
  const context = Array.from({ length: events }, (_, t) => {
    const at = (contexts.row === null ? t : contexts.row[t]) * contexts.dimension;
    return kept.map((j) => contexts.values[at + j]);
  });
  const position = men.keys.get('position');
  const log = logFromColumns({
    armIndex: men.arm,
    arms: men.arms.ids,
    payoff: men.payoff.steps,
    propensity: men.propensity ?? undefined,
    context,
    keys: { position: Array.from({ length: events }, (_, t) => position?.levels[position.code[t]] ?? '') },
  });
  return { log, rows: men.sourceRow ?? Uint32Array.from({ length: events }, (_, t) => t) };
}

/** Ranks the candidates by asking for the best of those that are left; at position k the k-th is compared. */
function ranking(name: string, best: PreparedLearner): LearnerInput {
  return {
    name,
    keyColumns: ['position'],
    create(log: EventLog, draws: Draws) {
      const learner = best.create(log, draws);
      const position = log.keys.get('position');
      const left = new Uint32Array(log.arms.ids.length);
      return {
        choose(event, { arms, from, to }) {
          let size = to - from;
          left.set(arms.subarray(from, to));
          const rank = Number(position?.levels[position.code[event]]);
          for (let k = 1; ; k++) {
            const arm = learner.choose(event, { arms: left, from: 0, to: size });
            if (k === rank) return arm;
            left.copyWithin(left.indexOf(arm), left.indexOf(arm) + 1, size);
            size--;
          }
        },
        update: (event, arm, payoff, steps) => learner.update(event, arm, payoff, steps),
      };
    },
  };
}

describe("the Open Bandit Pipeline's LinUCB with the stated tie rule", () => {
  it('is there for one item and for a list of three', () => {
    expect(selected.map(([, run]) => run.len_list)).toEqual([1, 1, 1, 1, 3, 3]);
  });

  it.each(selected)('%s', async (name, run) => {
    const { log, rows } = await menLog(name.split('|')[0]);
    expect([log.events, log.contexts.dimension]).toEqual([run.n_logged, meta.obp_context_dim]);
    const entry = linucb({ alpha: Number(/\(([\d.]+)\)/.exec(name)?.[1]), tieTolerance: TIE });
    const [best] = await prepareLearners(parseLearnerSet([entry]), log);
    const learner = run.len_list === 1 ? entry : ranking(name, best);
    const { learners } = await replay(log, [learner], { replicas: true, device: 'cpu', threads: 1 });
    const [{ matches, payoff, retained = [] }] = learners[0].replicas ?? [];
    expect({ matches, payoff, retained: retained.map((t) => rows[t]) }).toEqual({
      matches: run.T,
      payoff: run.G,
      retained: run.accepted_rows,
    });
    const trials = new Array<number>(log.arms.ids.length).fill(0);
    const clicks = new Array<number>(log.arms.ids.length).fill(0);
    for (const t of retained) {
      trials[log.arm[t]]++;
      clicks[log.arm[t]] += log.payoff.steps[t];
    }
    expect({ trials, clicks }).toEqual({ trials: run.per_arm_T, clicks: run.per_arm_G });
  });
});
