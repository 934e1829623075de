/** @module-tag long */
/** Parts on Slurm that a GPU computes. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADAPTER } from '../adapter.js';
import { pack, resultOf } from '../cli/parts.js';
import { start } from '../cli/spawn.js';
import { streamLog } from '../run/stream-log.js';
import { requireSlurm, Slurm } from './slurm.js';

const folder = mkdtempSync(join(tmpdir(), 'h-slurm-'));
const before = process.cwd();
let slurm: Slurm;

describe.skipIf(!requireSlurm())('Slurm', () => {
  beforeAll(async () => {
    process.chdir(folder);
    mkdirSync('slurm');
    slurm = await Slurm.start(join(folder, 'slurm'));
    await pack(streamLog({ events: 1500 }), 'clicks.parquet');
    writeFileSync('set.json', '[{ "family": "constant" }, { "family": "uniform", "replicas": 5 }]');
  });
  afterAll(async () => {
    await slurm?.stop();
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it('the result is that of the run on the CPU', async () => {
    const run = ['evaluate', 'clicks.parquet', '--policies', 'set.json', '--draws', '1000'];
    const submit = ['submit', 'slurm', '--run', 'run', '--parts', '3', '--wait', '--', ...run, '--adapter', ADAPTER];
    for (const argv of [[...run, '--device', 'cpu', '--out', 'whole.json'], submit]) {
      const { status, stderr } = await start(argv, slurm.env).ended;
      expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    }
    expect(await resultOf('run/result.json')).toEqual(await resultOf('whole.json'));
    expect(JSON.parse(readFileSync('run/result.json', 'utf8')).engine).toMatchObject({ device: 'gpu', parts: 3 });
  });
});
