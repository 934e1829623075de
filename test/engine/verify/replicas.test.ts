/** Which replicas are verified: spread over settings and numbers, the same ones every time. */
import { describe, expect, it } from 'vitest';
import { evenly } from '#dist/engine/verify/evenly.js';
import { planVerification, replicasToVerify } from '#dist/engine/verify/replicas.js';
import type { PreparedLearner } from '#dist/learner/set/learner-set.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { jobOf, scripted } from '../replay-jobs.js';

const log = logFromColumns({ armIndex: [0, 1], arms: 2, payoff: [0, 1] });
const ucb = (settings: number) => [
  { algorithm: 'ucb1' as const, alpha: Array.from({ length: settings }, (_, i) => 1 + i) },
];

/** An engine as far as the choice looks at it: its device, and the settings that the CPU replays whatever the device. */
function engine(device: 'cpu' | 'gpu', ...onCpu: PreparedLearner[]) {
  const report = { device, adapter: 'none', threads: 1, settledOnCpu: 0, decisions: 0, seconds: 0 };
  return { report, onCpu: new Set(onCpu) };
}

describe('evenly', () => {
  it.each<[number, number, number[]]>([
    [0, 5, []],
    [1, 5, [0]],
    [2, 5, [0, 4]],
    [3, 5, [0, 2, 4]],
    [4, 4, [0, 1, 2, 3]],
    [9, 3, [0, 1, 2]],
    [3, 0, []],
  ])('%d of %d', (count, of, expected) => {
    expect(evenly(count, of)).toEqual(expected);
  });

  it('never takes one twice', () => {
    for (let of = 1; of < 40; of++)
      for (let count = 1; count <= of; count++) expect(new Set(evenly(count, of)).size).toBe(count);
  });
});

describe('replicasToVerify', () => {
  it.each<[number, number, number, number[]]>([
    // settings, repeats, count → setting · repeats + number
    [1, 10, 3, [0, 5, 9]],
    [3, 10, 3, [0, 15, 29]],
    [5, 10, 3, [0, 25, 49]],
    [2, 4, 3, [0, 3, 7]],
    [2, 4, 5, [0, 2, 3, 4, 7]],
    [3, 2, 99, [0, 1, 2, 3, 4, 5]],
    [4, 1, 2, [0, 3]],
  ])('%d settings × %d replicas, %d of them', async (settings, repeats, count, expected) => {
    const job = await jobOf(log, ucb(settings), { repeats });
    expect(replicasToVerify(job, count)).toEqual(expected);
  });

  it('gives every setting one before any has two, where settings have different numbers of replicas', async () => {
    const { settings } = await jobOf(log, ucb(3));
    const replicas = [0, 0, 0, 0, 0, 1, 2, 2].map((setting, number) => ({ setting, number }));
    for (let count = 3; count <= 8; count++) {
      const rows = replicasToVerify({ settings, replicas }, count);
      expect(new Set(rows).size).toBe(count);
      expect(new Set(rows.map((row) => replicas[row].setting)).size).toBe(3);
    }
  });
});

describe('planVerification', () => {
  it('is a spot check by default, of what another engine than the CPU ran', async () => {
    const job = await jobOf(log, [...ucb(2), scripted([0, 0]).learner], { repeats: 4 });
    expect(planVerification(job, undefined, engine('cpu'))).toBeNull();
    expect(planVerification(job, undefined, engine('gpu', job.settings[2]))).toEqual({
      replicas: [0, 3, 7],
      every: false,
    });
    const custom = await jobOf(log, [scripted([0, 0]).learner]);
    expect(planVerification(custom, undefined, engine('gpu', ...custom.settings))).toBeNull();
  });

  it('is what was asked for, on any engine', async () => {
    const job = await jobOf(log, [...ucb(2), scripted([0, 0]).learner], { repeats: 4 });
    for (const device of ['cpu', 'gpu'] as const) {
      expect(planVerification(job, false, engine(device))).toBeNull();
      expect(planVerification(job, 3, engine(device))).toEqual({ replicas: [0, 6, 11], every: true });
      expect(planVerification(job, true, engine(device))?.replicas).toHaveLength(12);
    }
  });
});
