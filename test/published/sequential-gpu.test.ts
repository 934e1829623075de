/**
 * @module-tag long
 *
 * Learners on the test adapter: T, G and retained rows of an independent implementation, all runs of a log side by side.
 */
import { describe, expect, it } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import type { LogFiles } from '#dist/open/open.js';
import { replay } from '#dist/replay.js';
import { ADAPTER } from '../adapter.js';
import { readDigitsLog } from './digits.js';
import { DEFAULT, learnerOf, menLog, type Run, selected, withTolerances } from './sequential-runs.js';

/** Kernels for long contexts take llvmpipe half a minute to compile. */
const TIMEOUT = 600_000;

async function compare(log: EventLog | LogFiles, runs: readonly [string, Run][]): Promise<void> {
  const all = withTolerances(runs);
  const { learners, engine } = await replay(
    log,
    all.map(([name, tolerance]) => learnerOf(name, tolerance)),
    { replicas: true, device: 'gpu', adapter: ADAPTER },
  );
  expect(engine).toMatchObject({ device: 'gpu', fallback: null });
  // The reference's tolerance may be less than pairs of f32 keep ties with; ours never is.
  const onCpu = learners.flatMap(({ name }, i) => (engine.onCpu?.includes(name) ? [all[i][1]] : []));
  expect(onCpu).toHaveLength(engine.onCpu?.length ?? 0);
  expect(new Set(onCpu)).not.toContain(DEFAULT);
  expect(engine.verified).toMatchObject({ passed: true, differing: 0 });
  const got = learners.map(({ replicas: [replica] = [] }, i) => ({
    name: all[i][0],
    tolerance: all[i][1],
    T: replica.matches,
    G: replica.payoff,
    rows: replica.retained,
  }));
  expect(got).toEqual(
    all.map(([name, tolerance, run]) => ({
      name,
      tolerance,
      T: run.T,
      G: run.G,
      rows: run.accepted_rows ?? run.accepted_events,
    })),
  );
}

describe(`the men log on ${ADAPTER}`, () => {
  const runs = selected('own_sequential_random_men.json');
  const logs = new Map<string, [string, Run][]>();
  for (const run of runs) {
    const [learner, subset] = run[0].split('|');
    const key = `${learner === 'linucb_posfeat' ? 'with the position, ' : ''}${subset}`;
    logs.set(key, [...(logs.get(key) ?? []), run]);
  }
  it.each([...logs])('%s', (_, group) => compare(menLog(group[group.length - 1][0]), group), TIMEOUT);
});

it(`digits on ${ADAPTER}`, () => compare(readDigitsLog(), selected('own_digits.json')), TIMEOUT);
