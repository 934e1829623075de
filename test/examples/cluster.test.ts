/** Runs in parts by the schedulers of one machine, as examples/cluster has them. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../cli/parts.js';
import { MAIN } from '../cli/spawn.js';
import { requirePrograms } from '../programs.js';
import { streamLog } from '../run/stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-cluster-'));
const file = (name: string): string => join(folder, name);
const PARTS = 2;
const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}`, VK_DRIVER_FILES: '/dev/null' };

beforeAll(async () => {
  mkdirSync(file('bin'));
  writeFileSync(file('bin/hindcast'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(file('bin/hindcast'), 0o755);
  await pack(streamLog({ events: 300 }), file('log.parquet'));
  writeFileSync(file('set.json'), '[{ "family": "constant" }, { "family": "uniform", "replicas": 2 }]');
  const run = ['evaluate', 'log.parquet', '--policies', 'set.json', '--draws', '1000', '--out', 'whole.json'];
  execFileSync(file('bin/hindcast'), run, { cwd: folder, env });
});
afterAll(() => rmSync(folder, { recursive: true }));

const result = (name: string): object => {
  const { engine: _, ...rest } = JSON.parse(readFileSync(file(name), 'utf8'));
  return rest;
};

describe.each(['xargs', 'parallel'])('examples/cluster/%s.sh', (name) => {
  it.skipIf(!requirePrograms([name], 'its example was not run'))(
    'gives the result of the run, and computes what is missing when started again',
    () => {
      const script = fileURLToPath(new URL(`../../examples/cluster/${name}.sh`, import.meta.url));
      const start = () =>
        spawnSync('sh', [script, 'log.parquet', 'set.json', String(PARTS), '--draws', '1000'], {
          ...{ cwd: folder, env, encoding: 'utf8' },
        });
      rmSync(file('parts'), { recursive: true, force: true });
      const first = start();
      expect([first.status, first.stderr.match(/part \d\/2 is in /g)?.length], first.stderr).toEqual([0, PARTS]);
      expect(result('result.json')).toEqual(result('whole.json'));
      rmSync(file('parts/part-2.parquet'));
      const second = start();
      expect(second.stderr.match(/is there already, whole/g)?.length).toBe(PARTS - 1);
      expect(second.stderr).toMatch(/part 2\/2 is in /);
      expect(result('result.json')).toEqual(result('whole.json'));
    },
  );
});
