/** The place of a run's checkpoints, looked at before the log is read: its folder takes files, and no other run is at it. */

import { realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../../errors.js';
import { AtomicFile, labelOf, sweep } from '../../files/atomic-file.js';
import { type Presence, takeLock } from '../../files/presence.js';

export class CheckpointPlace {
  private constructor(
    /** As the caller named it. */
    readonly file: string,
    /** Links resolved. */
    readonly target: string,
    private readonly lock: Presence | null,
  ) {}

  /**
   * Locks a file of checkpoints, which need not be there yet, and removes what runs that were killed have left of it.
   *
   * @throws InputError where another run is at it, or its folder takes no files.
   */
  static async take(file: string): Promise<CheckpointPlace> {
    const target = await realpath(file).catch(() => file);
    const status = await stat(target).catch(() => null);
    if (status !== null && !status.isFile()) {
      throw new InputError({
        file,
        problem: status.isDirectory() ? 'a folder, and no file for checkpoints' : 'not a file on disk',
        needed: 'a checkpoint, or the name of a file that does not exist yet',
        hint: status.isDirectory() ? `--resume ${join(file, 'run.state')}` : 'give --resume another name',
      });
    }
    const folder = dirname(target);
    if ((await stat(folder).catch(() => null))?.isDirectory() !== true) {
      throw new InputError({
        file,
        problem: 'checkpoints cannot be written; nothing was computed',
        got: `there is no folder ${folder}`,
        hint: `mkdir -p ${folder}`,
      });
    }
    const taken = await takeLock(join(folder, `.${labelOf(target)}.lock`));
    if ('heldBy' in taken) {
      const who = taken.heldBy === null ? 'another process' : `process ${taken.heldBy}`;
      throw new InputError({
        file,
        problem: `the checkpoint is in use by ${who}`,
        needed: 'a file of its own for each run',
        hint: 'wait for that run, end it, or give --resume another name',
      });
    }
    const place = new CheckpointPlace(file, target, taken.lock);
    try {
      await place.tryOut();
    } catch (error) {
      await place.release();
      throw error;
    }
    return place;
  }

  private async tryOut(): Promise<void> {
    const folder = dirname(this.target);
    await sweep(folder, labelOf(this.target), true);
    try {
      await (await AtomicFile.create(this.target, 0o666, true)).discard();
    } catch (cause) {
      throw new InputError(
        {
          file: this.file,
          problem: 'checkpoints cannot be written; nothing was computed',
          got: cause instanceof Error ? cause.message : String(cause),
          needed: `a folder that takes files (${folder} does not)`,
          hint: 'another place for --resume',
        },
        { cause },
      );
    }
  }

  /** Replaces the checkpoint. @throws the file system's error; the last one stays. */
  async write(parts: readonly Uint8Array[]): Promise<void> {
    const file = await AtomicFile.create(this.target, 0o666, true);
    try {
      for (const part of parts)
        for (let at = 0; at < part.length; ) at += (await file.handle.write(part, at)).bytesWritten;
      await file.flush();
      await file.rename();
    } finally {
      await file.discard();
    }
  }

  /** Nothing is left to go on from. */
  async remove(): Promise<void> {
    await rm(this.target, { force: true });
  }

  /** Others may take the place. */
  async release(): Promise<void> {
    await this.lock?.release();
  }
}
