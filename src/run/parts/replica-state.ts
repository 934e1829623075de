/** What replicas of a part did beside their sums, as text; and what all parts did, put together. */

import { type Archive, ArchiveReader, ArchiveWriter } from '../../archive.js';
import type { ReplayOutcome } from '../../engine/learner-contract.js';
import type { Verification } from '../../engine/verify/learners.js';
import {
  addPartStatistics,
  type BlockStatistics,
  emptyBlockStatistics,
  slicePolicies,
} from '../../estimate/sums/block-statistics.js';
import type { PartFile } from './part-file.js';

type Told = Omit<ReplayOutcome, 'stats'>;
type Lists = readonly (Uint32Array | null)[] | null | undefined;

/** @returns base64. */
export function replicaState({ stats: _, ...told }: ReplayOutcome, verified: Verification | null): string {
  const writer = new ArchiveWriter();
  carryTold(writer, told, verified);
  return Buffer.from(writer.bytes()).toString('base64');
}

function carryTold(archive: Archive, told: Told, verified: Verification | null): [Told, Verification | null] {
  const plain = JSON.parse(archive.text(JSON.stringify([told.states, told.numerics ?? null, verified])));
  const [states, numerics, verification] = plain as [Told['states'], Told['numerics'] | null, Verification | null];
  const consumed = archive.list(told.consumed);
  const complete = archive.list(told.complete);
  const retained = carryLists(archive, told.retained);
  const sourceRows = carryLists(archive, told.sourceRows);
  return [{ states, numerics: numerics ?? undefined, consumed, complete, retained, sourceRows }, verification];
}

function carryLists(archive: Archive, lists: Lists): Lists & (readonly (Uint32Array | null)[] | null) {
  const count = archive.number(lists?.length ?? -1);
  if (count < 0) return null;
  return Array.from({ length: count }, (_, i) => {
    const list = lists?.[i] ?? null;
    return archive.flag(list !== null) ? archive.list(list ?? new Uint32Array(0)) : null;
  });
}

const NOTHING: Told = { states: null, consumed: new Float64Array(0), complete: new Uint8Array(0), retained: null };

/**
 * What the replicas of all parts did.
 *
 * @param files in the order of the parts. @param replicas of all of them. @param like statistics of the same blocks and columns.
 */
export async function storedReplicas(
  files: readonly PartFile[],
  replicas: number,
  like: BlockStatistics,
): Promise<{ readonly outcome: ReplayOutcome; readonly verified: Verification | null }> {
  const stats = emptyBlockStatistics(replicas, like.events, like.kinds);
  const told: Told[] = [];
  const verifications: Verification[] = [];
  for (const [i, file] of files.entries()) {
    const { blocks, tables } = await file.read([like.kinds]);
    for (const table of tables)
      for (let p = 0; p < table.policies; p++)
        addPartStatistics(stats, slicePolicies(table, p, p + 1), blocks, i + p * files.length);
    const bytes = Uint8Array.from(Buffer.from(file.header.state ?? '', 'base64'));
    const reader = new ArchiveReader(bytes);
    const [own, verified] = carryTold(reader, NOTHING, null);
    reader.end();
    told.push(own);
    if (verified !== null) verifications.push(verified);
  }
  const dealt = <T>(of: (part: Told) => ArrayLike<T> | null | undefined): T[] | null => {
    const lists = told.map(of);
    if (lists.some((list) => list === null || list === undefined)) return null;
    return Array.from({ length: replicas }, (_, row) => {
      return (lists[row % files.length] as ArrayLike<T>)[Math.floor(row / files.length)];
    });
  };
  const outcome: ReplayOutcome = {
    stats,
    consumed: Float64Array.from(dealt((part) => part.consumed) ?? []),
    complete: Uint8Array.from(dealt((part) => part.complete) ?? []),
    retained: dealt((part) => part.retained),
    sourceRows: dealt((part) => part.sourceRows),
    states: dealt((part) => part.states),
    numerics: dealt((part) => part.numerics) ?? undefined,
  };
  return { outcome, verified: together(verifications) };
}

function together(all: readonly Verification[]): Verification | null {
  if (all.length === 0) return null;
  return all.reduce((a, b) => ({
    replicas: a.replicas + b.replicas,
    decisions: a.decisions + b.decisions,
    differing: a.differing + b.differing,
    beyond: a.beyond + b.beyond,
    largest: Math.max(a.largest, b.largest),
    broken: a.broken + b.broken,
    tolerance: a.tolerance,
    every: a.every && b.every,
    passed: a.passed && b.passed,
    first: a.first ?? b.first,
  }));
}
