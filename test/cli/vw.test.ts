/** VowpalWabbit logs from the command line: options, and what results and tables say. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Inspection } from '#dist/open/inspect.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-vw-'));
const file = (name: string): string => join(folder, name);

/** Three actions, uniform; the arm's name is a feature, and it stands elsewhere in every event. */
const NAMES = ['tea', 'milk', 'juice'];
const adf = Array.from({ length: 60 }, (_, t) => {
  const lines = NAMES.map((_, i) => {
    const label = i === (t * 7) % 3 ? `0:${t % 2}:0.333333333333 ` : '';
    return `${label}|a id=${NAMES[(i + t) % 3]} price:${i}`;
  });
  return [`shared |u sex=${'fm'[t % 2]}`, ...lines, ''].join('\n');
}).join('\n');

beforeAll(() => {
  writeFileSync(file('log.ldf'), adf);
  writeFileSync(file('set.json'), JSON.stringify([{ family: 'constant', arms: ['tea'] }, { family: 'uniform' }]));
  writeFileSync(
    file('table.json'),
    JSON.stringify([{ family: 'table', keys: ['u^sex'], tables: [{ choices: { f: 'milk', m: 'tea' } }] }]),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

async function inspect(...more: string[]): Promise<Inspection> {
  const { status, stdout, stderr } = await hindcast(['inspect', file('log.ldf'), '--format', 'json', ...more]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Inspection;
}

describe('hindcast inspect of a VowpalWabbit log', () => {
  it('needs no mapping', async () => {
    const log = await inspect();
    expect(log).toMatchObject({ format: 'vw-adf', events: 60, payoffFromCost: { scale: -1, offset: 0 } });
    expect(log.arms.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(log.payoff).toMatchObject({ min: -1, max: 0 });
  });

  it('takes --payoff-from-cost, --arm-id, --features and --feature-limit', async () => {
    const log = await inspect(
      '--payoff-from-cost',
      '-1,1',
      '--arm-id',
      'a^id=*',
      '--features',
      'u^*',
      '--feature-limit',
      '2',
    );
    expect(log.payoffFromCost).toEqual({ scale: -1, offset: 1 });
    expect(log.payoff).toMatchObject({ low: 0, high: 1, min: 0, max: 1 });
    expect(log.arms.map(({ id }) => id)).toEqual(['juice', 'milk', 'tea']);
    expect(log.context.columns.map(({ name }) => name)).toEqual(['u^sex=f', 'u^sex=m']);
  });

  it('says in the table how payoffs came about', async () => {
    const { stdout } = await hindcast(['inspect', file('log.ldf'), '--payoff-from-cost', '-0.5,2']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('payoff = 2 − 0.5 · cost');
  });

  it.each([
    ['--feature-limit 1', /2 different context features[\s\S]*at most 1, the limit[\s\S]*--features/],
    ['--arm-id id', /option --arm-id is not valid/],
    ['--payoff-from-cost 0,1', /option --payoff-from-cost is not valid/],
    ['--where price=1', /option --where does not go with the format vw-adf/],
    ['--log-format vw --arm a --payoff b', /hindcast: a mapping does not go with the format vw-adf/],
  ])('%s is a clear error', async (options, message) => {
    const { status, stdout, stderr } = await hindcast(['inspect', file('log.ldf'), ...options.split(' ')]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('hindcast evaluate on a VowpalWabbit log', () => {
  const evaluate = async (set: string): Promise<EvaluationResult> => {
    const command = ['evaluate', file('log.ldf'), '--policies', file(set), '--device', 'cpu', '--threads', '1'];
    const { status, stdout, stderr } = await hindcast([
      ...command,
      '--arm-id',
      'a^id=*',
      '--payoff-from-cost',
      '-1,1',
      '--assume-uniform',
      '--format',
      'json',
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout) as EvaluationResult;
  };

  it('evaluates policies over named arms, and the result records how payoffs came about', async () => {
    const result = await evaluate('set.json');
    expect(result.log).toMatchObject({ format: 'vw-adf', payoffFromCost: { scale: -1, offset: 1 } });
    // The logged action of event t is (7 t + t) mod 3 = 2 t mod 3 among the names: tea where 3 divides t.
    const tea = result.policies.find(({ index }) => index === 0);
    expect([tea?.matches, tea?.payoff]).toEqual([20, 10]);
  });

  it('gives table policies their keys from features', async () => {
    const result = await evaluate('table.json');
    // milk for f: t even with 2 t mod 3 = 1, t = 2, 8, …; tea for m: t odd, divisible by 3.
    expect(result.policies[0].matches).toBe(20);
  });
});
