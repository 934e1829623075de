/** What a long run needs of checkpoints; `file.ts` keeps them on disk. */

import { type Archive, ArchiveReader, ArchiveWriter } from '../../archive.js';
import type { CheckpointPlace } from './place.js';

/** Where a run puts its state now and then. */
export interface Checkpoints {
  /** State of an interrupted run of the same work; `null`: there was none. */
  readonly resumed: Uint8Array | null;
  /** It is time to save. */
  due(): boolean;
  /** Replaces what was saved before. Where that fails, what was saved before stays, and `failure` says why. */
  save(state: Uint8Array): Promise<void>;
  /** Why the last `save` failed; `null`: it did not. */
  readonly failure: string | null;
  /** Saves that failed, in words for the result. */
  warnings(): readonly string[];
}

/**
 * Runs work whose checkpoints are in a file, which is locked meanwhile and looked at before anything else.
 *
 * @param file of checkpoints; without one, nothing is locked.
 * @param keep the file when the work is done; else it is deleted then.
 * @throws InputError where another run is at it, or it cannot be written; what the work throws.
 */
export async function withPlace<T>(
  file: string | undefined,
  keep: boolean,
  work: (place: CheckpointPlace | null) => Promise<T>,
): Promise<T> {
  if (file === undefined) return work(null);
  const { CheckpointPlace } = await import('./place.js');
  const place = await CheckpointPlace.take(file);
  try {
    const result = await work(place);
    // Where its folder takes no changes any more the state stays, which does no harm: the result is worth more.
    if (!keep) await place.remove().catch(() => undefined);
    return result;
  } finally {
    await place.release();
  }
}

/** Puts back what an interrupted run had saved. @returns whether there was something. */
export function resume(checkpoints: Pick<Checkpoints, 'resumed'> | null, carry: (archive: Archive) => void): boolean {
  if (checkpoints === null || checkpoints.resumed === null) return false;
  const archive = new ArchiveReader(checkpoints.resumed);
  carry(archive);
  archive.end();
  return true;
}

/** Saves the state that `carry` takes out. */
export async function save(checkpoints: Checkpoints, carry: (archive: Archive) => void): Promise<void> {
  await checkpoints.save(stateOf(carry));
}

/** The state that `carry` takes out. */
export function stateOf(carry: (archive: Archive) => void): Uint8Array {
  const archive = new ArchiveWriter();
  carry(archive);
  return archive.bytes();
}
