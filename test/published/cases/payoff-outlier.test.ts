/** A sentinel of 1e9 among payoffs of 0 to 0.03: rounding would eat the small ones. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { sharedFile } from '../reference.js';

const file = sharedFile('cases/payoff-outlier/log.csv');
const policies = sharedFile('cases/payoff-outlier/policies.json');
const mapping = { arm: 'arm', payoff: 'payoff' };

it('is refused: file, row, value, step and what to do', async () => {
  await expect(evaluate({ log: { files: [file], mapping }, policies, device: 'cpu' })).rejects.toThrow(
    /payoff-outlier\/log\.csv, row 0, column "payoff": one payoff is so large .*\n {2}got: {4}1000000000 among payoffs of about 0\.0156: steps of 0\.233 .* exact steps of 0\.01 would be 100000000000 in number\n/,
  );
});

it('dropped as outside a declared range, the rest is exact: constant b has 0.5 / 20', async () => {
  expect(readFileSync(file, 'utf8').split('\n')[1]).toMatch(/^a,1000000000/);
  const log = { files: [file], mapping, payoffRange: [0, 1] as const, skipBadRows: true };
  const { policies: rows } = await evaluate({ log, policies, device: 'cpu' });
  expect(rows.find(({ name }) => name === 'constant b')).toMatchObject({ matches: 20, value: 0.025 });
});
