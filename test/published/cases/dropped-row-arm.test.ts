import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';

const folder = resolve(import.meta.dirname, '../../../../shared/cases/dropped-row-arm');

describe('rows that are dropped', () => {
  for (const name of ['clean', 'total-line', 'header-twice']) {
    for (const candidates of ['cands', undefined]) {
      it(`leave no arm behind: ${name}.csv, ${candidates === undefined ? 'without' : 'with'} candidates`, async () => {
        const log = { files: [`${folder}/${name}.csv`], mapping: { arm: 'arm', payoff: 'payoff', candidates } };
        const result = await evaluate({
          log: { ...log, skipBadRows: true },
          policies: `${folder}/policies.json`,
          device: 'cpu',
        });
        expect(result.log.arms).toBe(12);
        expect(result.policies.map(({ matches, payoff, value }) => [matches, payoff, value])).toEqual([
          [100, 55, 0.55],
        ]);
        expect(result.log.droppedRows.map(({ count }) => count)).toEqual(name === 'clean' ? [] : [1]);
      });
    }
  }
});
