/** One replica by hand: matches, learning, subsamples, updates in epochs, Algorithm 1. */
import { describe, expect, it } from 'vitest';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { periodBlocks } from '#dist/estimate/blocks/block-makers.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { totals } from '#dist/estimate/estimators/replay-totals.js';
import { Draws, threshold } from '#dist/learner/draws.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM } from '#dist/random/threefry.js';
import { jobOf, scripted } from '../replay-jobs.js';

/** Eight events, three arms, payoffs 0..7. */
const log = logFromColumns({
  armIndex: [0, 1, 2, 0, 1, 2, 0, 1],
  arms: 3,
  payoff: [0, 1, 2, 3, 4, 5, 6, 7],
  payoffRange: [0, 7],
  time: [0, 10, 20, 30, 40, 50, 60, 70],
  timeUnit: 'ms',
});

/** Follows the log at these events and avoids its arm elsewhere. */
const matchingAt = (...events: number[]): number[] =>
  Array.from(log.arm, (arm, t) => (events.includes(t) ? arm : (arm + 1) % 3));

type Part = Parameters<typeof jobOf>[2];

async function run(choices: readonly number[], part: Part = {}, events = log) {
  const { learner, calls } = scripted(choices);
  const job = await jobOf(events, [learner], part);
  const outcome = await new CpuReplayBackend({ threads: 1 }).replay(job);
  const { matches, payoff, square } = totals(outcome.stats, 0);
  return {
    calls,
    matches,
    payoff,
    square,
    outcome,
    retained: [...(outcome.retained?.[0] ?? [])],
    consumed: outcome.consumed[0],
    complete: outcome.complete[0] === 1,
  };
}

describe('a replica', () => {
  it('is asked at every event, and told of matches alone', async () => {
    const result = await run(matchingAt(1, 2, 6));
    expect(result.calls).toEqual(['?0', '?1', '1:a1+1', '?2', '2:a2+2', '?3', '?4', '?5', '?6', '6:a0+6', '?7']);
    expect(result).toMatchObject({
      matches: 3,
      payoff: 9,
      square: 41,
      retained: [1, 2, 6],
      consumed: 8,
      complete: true,
    });
  });

  it('retains nothing without a match', async () => {
    expect(await run(matchingAt())).toMatchObject({ matches: 0, payoff: 0, retained: [], consumed: 8, complete: true });
  });

  it('has nothing to do on an empty log', async () => {
    const empty = logFromColumns({ armIndex: [], arms: 2, payoff: [] });
    expect(await run([], {}, empty)).toMatchObject({
      calls: [],
      matches: 0,
      retained: [],
      consumed: 0,
      complete: true,
    });
    expect(await run([], { validEvents: 1 }, empty)).toMatchObject({ matches: 0, consumed: 0, complete: false });
  });

  it('matches every event where there is one arm', async () => {
    const single = logFromColumns({ armIndex: [0, 0, 0], arms: 1, payoff: [1, 0, 1] });
    expect(await run([0, 0, 0], {}, single)).toMatchObject({ matches: 3, payoff: 2, retained: [0, 1, 2] });
  });

  it('passes the candidates of each event', async () => {
    const pools = logFromColumns({
      armIndex: [0, 2, 1],
      arms: 3,
      payoff: [0, 0, 0],
      candidates: { pools: [[0, 1], [2]], pool: [0, 1, 0] },
    });
    const seen: number[][] = [];
    const learner = {
      name: 'looks',
      create: () => ({
        choose(_: number, { arms, from, to }: { arms: Uint32Array; from: number; to: number }) {
          seen.push([...arms.slice(from, to)]);
          return 0;
        },
        update() {},
      }),
    };
    await new CpuReplayBackend({ threads: 1 }).replay(await jobOf(pools, [learner]));
    expect(seen).toEqual([[0, 1], [2], [0, 1]]);
  });

  it('passes payoffs in units, and in steps above the scale’s origin', async () => {
    const halves = logFromColumns({ armIndex: [0, 0], arms: 1, payoff: [-0.5, 1.5], payoffRange: [-1, 2] });
    const { calls } = await run([0, 0], {}, halves);
    expect(calls).toEqual(['?0', '0:a0+-0.5/0', '?1', '1:a0+1.5/4']);
  });

  it('asks `matches` in place of `choose` where there is one', async () => {
    const learner = {
      name: 'fast',
      create: () => ({
        choose: () => {
          throw new Error('choose was asked');
        },
        matches: (event: number, _: unknown, arm: number) => event >= 6 && arm === log.arm[event],
        update() {},
      }),
    };
    const outcome = await new CpuReplayBackend({ threads: 1 }).replay(await jobOf(log, [learner]));
    expect([...(outcome.retained?.[0] ?? [])]).toEqual([6, 7]);
  });
});

describe('Algorithm 1', () => {
  it('stops at the T-th match and reports the events consumed', async () => {
    const result = await run(matchingAt(1, 2, 6), { validEvents: 2 });
    expect(result.calls.at(-1)).toBe('2:a2+2');
    expect(result).toMatchObject({ matches: 2, payoff: 3, retained: [1, 2], consumed: 3, complete: true });
  });

  it('is complete where the last event is the T-th match', async () => {
    expect(await run(matchingAt(7), { validEvents: 1 })).toMatchObject({ matches: 1, consumed: 8, complete: true });
  });

  it('says where the log ended first', async () => {
    expect(await run(matchingAt(1), { validEvents: 2 })).toMatchObject({ matches: 1, consumed: 8, complete: false });
  });
});

describe('updates in epochs', () => {
  const all = matchingAt(0, 1, 2, 3, 4, 5, 6, 7);

  it('wait for the next multiple of N', async () => {
    const { calls } = await run(all, { updateEvery: 3 });
    expect(calls).toEqual([
      ...['?0', '?1', '?2', '0:a0+0', '1:a1+1', '2:a2+2'],
      ...['?3', '?4', '?5', '3:a0+3', '4:a1+4', '5:a2+5'],
      // What is left is learnt at the end, for the state.
      ...['?6', '?7', '6:a0+6', '7:a1+7'],
    ]);
  });

  it('follow at once for N = 1', async () => {
    expect((await run(all, { updateEvery: 1 })).calls).toEqual((await run(all)).calls);
  });

  it('wait for the end for an N beyond the log', async () => {
    const { calls } = await run(matchingAt(0, 5), { updateEvery: 1000 });
    expect(calls.slice(-2)).toEqual(['0:a0+0', '5:a2+5']);
  });

  it('wait for the next period; N counts events of the log, retained or not', async () => {
    const { calls } = await run(matchingAt(1, 3, 4), { updateEvery: { period: 40 } });
    expect(calls).toEqual(['?0', '?1', '?2', '?3', '1:a1+1', '3:a0+3', '?4', '?5', '?6', '?7', '4:a1+4']);
    expect((await run(matchingAt(1), { updateEvery: 2 })).calls.slice(0, 4)).toEqual(['?0', '?1', '1:a1+1', '?2']);
  });

  it('need the time for periods', async () => {
    const timeless = logFromColumns({ armIndex: [0], arms: 1, payoff: [0] });
    await expect(run([0], { updateEvery: { period: 5 } }, timeless)).rejects.toThrow(/need the time.*\n.*--time/);
  });

  it('are learnt before Algorithm 1 ends, for the state', async () => {
    expect((await run(all, { updateEvery: 5, validEvents: 2 })).calls).toEqual(['?0', '?1', '0:a0+0', '1:a1+1']);
  });
});

describe('learning from all events', () => {
  it('feeds the logged arm of every event, and counts payoffs on matches', async () => {
    const result = await run(matchingAt(1), { learnFrom: 'all' });
    expect(result.calls.slice(0, 6)).toEqual(['?0', '0:a0+0', '?1', '1:a1+1', '?2', '2:a2+2']);
    expect(result).toMatchObject({ matches: 1, payoff: 1, retained: [1] });
  });

  it('goes with epochs', async () => {
    const { calls } = await run(matchingAt(1), { learnFrom: 'all', updateEvery: 4 });
    expect(calls.slice(0, 9)).toEqual(['?0', '?1', '?2', '?3', '0:a0+0', '1:a1+1', '2:a2+2', '3:a0+3', '?4']);
  });
});

describe('subsamples', () => {
  const long = logFromColumns({ armIndex: new Uint32Array(2000), arms: 2, payoff: new Float64Array(2000) });
  const zeros = new Array<number>(2000).fill(0);
  const sampled = (seed: number, p: number): number[] => {
    const draws = new Draws(seed, 0, STREAM.subsample);
    return zeros.flatMap((_, t) => (draws.word(t) < threshold(p) ? [t] : []));
  };

  it('hold event t where its word is below the threshold', async () => {
    for (const p of [0.01, 0.5, 0.99]) {
      const { retained, consumed } = await run(zeros, { subsample: p }, long);
      expect(retained).toEqual(sampled(7, p));
      expect(consumed).toBe(retained.length);
      expect(Math.abs(consumed - 2000 * p)).toBeLessThan(4 * Math.sqrt(2000 * p * (1 - p)));
    }
  });

  it('are the whole log for p = 1, nothing for a p below 2⁻³², and grow with p', async () => {
    expect((await run(zeros, { subsample: 1 }, long)).consumed).toBe(2000);
    expect((await run(zeros, { subsample: 1e-12 }, long)).consumed).toBe(0);
    const small = new Set((await run(zeros, { subsample: 0.5 }, long)).retained);
    for (const t of (await run(zeros, { subsample: 0.2 }, long)).retained) expect(small.has(t)).toBe(true);
  });

  it('are the same for replicas with the same number, whatever the learner; others for other numbers and seeds', async () => {
    const learners = [scripted(zeros).learner, { ...scripted(zeros).learner, name: 'again' }];
    const job = await jobOf(long, learners, { subsample: 0.5, repeats: 2 });
    const { retained } = await new CpuReplayBackend({ threads: 1 }).replay(job);
    const [a0, a1, b0, b1] = retained ?? [];
    expect(b0).toEqual(a0);
    expect(b1).toEqual(a1);
    expect(a1).not.toEqual(a0);
    expect((await run(zeros, { subsample: 0.5, seed: 8 }, long)).retained).not.toEqual([...(a0 ?? [])]);
  });

  it('do not change with when Algorithm 1 stops: consumed counts events of the subsample', async () => {
    const expected = sampled(7, 0.25);
    const result = await run(zeros, { subsample: 0.25, validEvents: 10 }, long);
    expect(result).toMatchObject({ retained: expected.slice(0, 10), consumed: 10, complete: true });
  });
});

describe('block statistics', () => {
  it('put every match in its block, whatever the plan', async () => {
    const runs = await run(matchingAt(1, 2, 6), { plan: runBlocks(8, 4) });
    expect([...runs.outcome.stats.matches]).toEqual([1, 1, 0, 1]);
    expect([...runs.outcome.stats.columns[0]]).toEqual([1, 2, 0, 6]);
    expect([...runs.outcome.stats.columns[1]]).toEqual([1, 4, 0, 36]);
    const mixed = logFromColumns({ armIndex: [0, 0, 0, 0], arms: 1, payoff: [1, 2, 3, 4], payoffRange: [0, 4] });
    const plan = periodBlocks(Float64Array.of(0, 100, 5, 105), 100);
    const periods = await run([0, 0, 0, 0], { plan }, mixed);
    expect([...periods.outcome.stats.columns[0]]).toEqual([4, 6]);
  });

  it('carry squares of the largest steps', async () => {
    const top = 2 ** 32 - 1;
    const large = logFromColumns({ armIndex: [0, 0, 0], arms: 1, payoff: [1, top, top], payoffRange: [0, top] });
    const { outcome } = await run([0, 0, 0], { plan: runBlocks(3, 1) }, large);
    const [, low, high] = outcome.stats.columns;
    expect(BigInt(high[0]) * 2n ** 32n + BigInt(low[0])).toBe(2n * BigInt(top) ** 2n + 1n);
  });
});
