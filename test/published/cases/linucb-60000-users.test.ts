/**
 * @module-tag long
 *
 * 60,000 one-hot users make matrices that few machines hold: the sum is told before anything is made.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkStates } from '#dist/engine/learner-cpu/states.js';
import { InputError } from '#dist/errors.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { prepareLearners } from '#dist/learner/set/learner-set.js';
import { loadLearnerSet } from '#dist/learner/set/node-learners.js';
import { sharedFile } from '../reference.js';

it('two arms of 60,000 columns want roots of 28.8 GB', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindcast-wide-'));
  try {
    // As make.py writes it.
    const rows = Array.from({ length: 60_000 }, (_, i) => `${'ab'[i % 2]},${i % 7 === 0 ? 1 : 0},u${i}`);
    const file = join(folder, 'log.csv');
    writeFileSync(file, `arm,payoff,user\n${rows.join('\n')}\n`);
    const log = await readLog([file], {
      mapping: { arm: 'arm', payoff: 'payoff', context: [{ column: 'user', encode: 'onehot' }] },
    });
    const { set } = await loadLearnerSet(sharedFile('cases/linucb-60000-users/learners.json'));
    const settings = await prepareLearners(set, log);
    const room = { repeats: 1, running: 1, carried: false, bytes: 24e9, which: 'that is free' };
    const check = (): void => checkStates(log, settings, room);
    expect(check).toThrow(InputError);
    expect(check).toThrow(/2 arms × 60000 × 60001 \/ 2 × 8 bytes = 28.8 GB/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
