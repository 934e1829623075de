/** What a long run needs of checkpoints; `checkpoint-file.ts` keeps them on disk. */

import { type Archive, ArchiveReader, ArchiveWriter } from '../archive.js';

/** Where a run puts its state now and then. */
export interface Checkpoints {
  /** State of an interrupted run of the same work; `null`: there was none. */
  readonly resumed: Uint8Array | null;
  /** It is time to save. */
  due(): boolean;
  /** Replaces what was saved before. @throws InputError where the file cannot be written. */
  save(state: Uint8Array): Promise<void>;
  /** The work is finished: nothing is left to resume. */
  finish(): Promise<void>;
}

/** Puts back what an interrupted run had saved. @returns whether there was something. */
export function resume(checkpoints: Checkpoints | null, carry: (archive: Archive) => void): boolean {
  if (checkpoints === null || checkpoints.resumed === null) return false;
  const archive = new ArchiveReader(checkpoints.resumed);
  carry(archive);
  archive.end();
  return true;
}

/** Saves the state that `carry` takes out. */
export async function save(checkpoints: Checkpoints, carry: (archive: Archive) => void): Promise<void> {
  const archive = new ArchiveWriter();
  carry(archive);
  await checkpoints.save(archive.bytes());
}
