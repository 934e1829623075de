/** The fuzzer in small: kept cases and some fresh inputs, more of them in the long run. All of it: `node test/fuzz/run.mjs`. */

import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { inTwoSizes, LONG } from '../long.js';
import { fuzzReader, inputOf, keptCases, tryInput } from './harness.mjs';
import { TARGETS, targetOf } from './targets.mjs';

const INPUTS = 1500;

describe.each(Object.keys(TARGETS))('%s', (name) => {
  inTwoSizes('ends mutated inputs in a log or a located error', [6, 1], async (part) => {
    const target = await targetOf(name);
    const inputs = Math.ceil((target.testInputs ?? INPUTS) / part);
    const { failures, logs, errors } = await fuzzReader(target, { inputs, seed: 2, keep: false });
    expect(failures).toEqual([]);
    // Both ends are reached, or the mutations are too weak or too strong.
    expect(logs).toBeGreaterThan(inputs / 20);
    expect(errors).toBeGreaterThan(inputs / 20);
  });

  it('reads its seeds, where bad rows may be dropped', async () => {
    const target = await targetOf(name);
    for (const seed of target.seeds) expect((await target.read(seed, { skipBadRows: true })).events).toBeGreaterThan(0);
  });

  it('reads 100 MiB: of text, a single line', LONG, async () => {
    const target = await targetOf(name);
    const bytes = inputOf(target, 1, 19_999);
    expect(bytes.length).toBeGreaterThan(100 * 2 ** 20);
    await tryInput(target, bytes);
  });

  it('reads what once failed', async () => {
    const target = await targetOf(name);
    for (const { bytes } of keptCases(target)) await tryInput(target, bytes);
  });
});

describe('the harness', () => {
  const log = logFromColumns({ armIndex: [0, 1], arms: 2, payoff: [0, 1] });
  const target = (read: () => unknown) => ({ name: 'none', seeds: [Buffer.from('a b\nc d\n')], read });
  const failuresOf = async (read: () => unknown, limitMs = 5000) =>
    (await fuzzReader(target(read), { inputs: 3, keep: false, limitMs })).failures.map(({ message }) => message);

  it('makes the same input of the same number', () => {
    const one = target(() => log);
    for (let i = 0; i < 50; i++) expect(inputOf(one, 4, i).equals(inputOf(one, 4, i))).toBe(true);
    expect(new Set(Array.from({ length: 50 }, (_, i) => inputOf(one, 4, i).toString('latin1'))).size).toBeGreaterThan(
      25,
    );
  });

  it('accepts a log and a located error', async () => {
    expect(await failuresOf(() => log)).toEqual([]);
    const located = () => {
      throw new InputError({ file: 'f', line: 2, problem: 'bad' });
    };
    expect(await failuresOf(located)).toEqual([]);
  });

  it.each([
    ['another exception', () => decodeURIComponent('%'), 'not an InputError'],
    ['an error without a place', () => Promise.reject(new InputError({ problem: 'bad' })), 'without a file'],
    ['an error without a line', () => Promise.reject(new InputError({ file: 'f', problem: 'bad' })), 'without a line'],
    ['a log with an arm outside', () => ({ ...log, arm: Uint32Array.of(0, 2) }), 'arm[1] = 2'],
    ['a log with too few times', () => ({ ...log, time: Float64Array.of(0) }), 'time has 1 entries'],
    ['a log with NaN', () => ({ ...log, propensity: Float64Array.of(1, Number.NaN) }), 'propensity[1] = NaN'],
  ])('does not accept %s', async (_, read, message) => {
    const messages = await failuresOf(read);
    expect(messages).toHaveLength(3);
    for (const one of messages) expect(one).toContain(message);
  });

  it('does not accept a reader that takes too long', async () => {
    const slow = () => new Promise((resolve) => setTimeout(() => resolve(log), 30));
    expect((await failuresOf(slow, 20))[0]).toMatch(/^took \d+ ms$/);
  });
});
