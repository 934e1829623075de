/**
 * What is counted of the whole log, in a file that the parts of a run share: whoever has counted first writes it, and who comes
 * later reads it. Parts that begin at the same time each count; what they write is the same.
 */

import { dirname } from 'node:path';
import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import { AtomicFile } from '../../files/atomic-file.js';
import { type Checkpoints, stateOf } from '../checkpoint/checkpoint.js';
import { type Identity, readState, type StateKind, stateFile } from '../checkpoint/file.js';

const COUNTS: StateKind = { name: 'file of counts', option: '--counts' };

export class SharedCounts implements Pick<Checkpoints, 'resumed'> {
  private constructor(
    private readonly file: string,
    private readonly identity: Identity,
    /** `null`: nobody has counted yet. */
    readonly resumed: Uint8Array | null,
  ) {}

  /**
   * @param run what all its parts have in common.
   * @throws InputError for a file of another run, or one that is something else; where there cannot be such a file.
   */
  static async open(file: string, run: Identity): Promise<SharedCounts> {
    const identity = { holds: 'counts', ...run };
    const resumed = await readState(file, identity, COUNTS);
    const counts = new SharedCounts(file, identity, resumed);
    // That it cannot be written is known before anything is counted.
    if (resumed === null) await (await counts.create()).discard();
    return counts;
  }

  /** Writes what was counted. */
  async save(carry: (archive: Archive) => void): Promise<void> {
    const temporary = await this.create();
    try {
      for (const part of stateFile(this.identity, stateOf(carry))) await temporary.handle.appendFile(part);
      await temporary.flush();
      await temporary.rename();
    } finally {
      await temporary.discard();
    }
  }

  private async create(): Promise<AtomicFile> {
    const { file } = this;
    try {
      // Nothing is swept away: from here the process of another machine that is writing the same looks as if it were gone.
      return await AtomicFile.create(file, 0o666, true);
    } catch (cause) {
      throw new InputError(
        {
          ...{ file, problem: 'the file of counts cannot be written' },
          got: cause instanceof Error ? cause.message : String(cause),
          needed: `a folder that takes files (${dirname(file)} does not)`,
          hint: 'another place for --counts',
        },
        { cause },
      );
    }
  }
}
