import { expect } from 'vitest';
import { InputError } from '#dist/errors.js';
import type { EventLog } from '#dist/log/event-log.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import type { CompiledPolicies } from '#dist/policy/compiled.js';
import type { SpecFiles } from '#dist/policy/family.js';
import { encodeNpy, type NpyData } from '#dist/policy/npy.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { referenceChoice } from '#dist/policy/reference.js';

/** Four events, arms "3", "7", "12", two context columns, keys, times five minutes apart. */
export const FOUR: LogColumns = {
  arm: ['7', '3', '12', '7'],
  arms: ['3', '7', '12'],
  payoff: [1, 0, 0, 1],
  context: [
    [1, 0],
    [0, 1],
    [1, 1],
    [-1, 0.5],
  ],
  keys: { segment: ['new', 'loyal', 'new', 'gone'], device: ['phone', 'phone', 'desk', 'desk'] },
  time: ['2009-05-01T00:00:00Z', '2009-05-01T00:04:59.999Z', '2009-05-01T00:05:00Z', '2009-05-01T00:17:00Z'],
};

export function fourEvents(change: Partial<LogColumns> = {}): EventLog {
  return logFromColumns({ ...FOUR, ...change });
}

/**
 * Four events that show arms in versions of their own: 7 and 3, 3 and 7, 12 and 3, 7 and 3.
 *
 * @param features the one feature of each candidate of each event, in that order.
 */
export function versionedEvents(features: readonly (readonly [number, number])[]): EventLog {
  return fourEvents({
    candidates: [
      ['7', '3'],
      ['3', '7'],
      ['12', '3'],
      ['7', '3'],
    ],
    candidateFeatures: features.map((pair) => pair.map((z) => [z])),
  });
}

/** The policy set's entries, compiled for a log. */
export function compile(set: unknown, log: EventLog, files?: SpecFiles): Promise<CompiledPolicies[]> {
  return compilePolicySet(parsePolicySet(set, { file: 'set.json' }), log, files);
}

/** Arm ids (null: none) that the only entry's policies choose, a list per policy. */
export async function choices(set: unknown, log: EventLog, files?: SpecFiles): Promise<(string | null)[][]> {
  const compiledEntries = await compile(set, log, files);
  return compiledEntries.flatMap((compiled) => {
    const choose = referenceChoice(compiled, log);
    return Array.from({ length: compiled.policies }, (_, p) =>
      Array.from({ length: log.events }, (_, t) => log.arms.ids[choose(p, t)] ?? null),
    );
  });
}

/** Files in memory: `.npy` from data and shape, Parquet from columns. */
export function memoryFiles(content: {
  npy?: Record<string, [NpyData, number[]] | Uint8Array>;
  parquet?: Record<string, Record<string, (number | string | null)[]>>;
}): SpecFiles {
  return {
    resolve: (path) => `dir/${path}`,
    bytes: async (path) => {
      const found = content.npy?.[path];
      if (found === undefined) throw new InputError({ file: path, problem: 'no such file' });
      return found instanceof Uint8Array ? found : encodeNpy(...found);
    },
    parquet: async (path) => {
      const found = content.parquet?.[path] ?? {};
      const data = Object.values(found);
      return { columns: Object.keys(found), rows: data[0]?.length ?? 0, data };
    },
  };
}

/** The message of the InputError that a call throws or rejects with. */
export async function faultOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
  return expect.fail('no error was thrown');
}
