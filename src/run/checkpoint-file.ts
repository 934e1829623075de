/**
 * Checkpoints in a file: one line of JSON that says what they belong to, then the state. The file is replaced whole, by
 * renaming, so that whatever moment a process is killed at leaves the last complete one.
 */

import { createHash } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { InputError } from '../errors.js';
import type { SpecFiles } from '../policy/family.js';
import type { Checkpoints } from './checkpoint.js';

const FORMAT = 'hindcast-checkpoint';
const FORMAT_VERSION = 2;

/** What a run is, part by part in words for messages: a run is resumed only where every part is the same. */
export type Identity = Readonly<Record<string, string>>;

interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly identity: Identity;
  readonly bytes: number;
  readonly sha256: string;
}

export class CheckpointFile implements Checkpoints {
  private last = performance.now();

  private constructor(
    private readonly file: string,
    private readonly identity: Identity,
    private readonly everyMs: number,
    readonly resumed: Uint8Array | null,
  ) {}

  /**
   * @param every seconds between two checkpoints.
   * @throws InputError for a file that is something else, or the checkpoint of another run.
   */
  static async open(file: string, identity: Identity, every: number): Promise<CheckpointFile> {
    return new CheckpointFile(file, identity, every * 1000, await readCheckpoint(file, identity));
  }

  due(): boolean {
    return performance.now() - this.last >= this.everyMs;
  }

  async save(state: Uint8Array): Promise<void> {
    const header: Header = {
      format: FORMAT,
      version: FORMAT_VERSION,
      identity: this.identity,
      bytes: state.length,
      sha256: createHash('sha256').update(state).digest('hex'),
    };
    const temporary = `${this.file}.tmp`;
    try {
      const handle = await open(temporary, 'w');
      try {
        await handle.write(`${JSON.stringify(header)}\n`);
        for (let at = 0; at < state.length; ) at += (await handle.write(state, at)).bytesWritten;
        // On the disk before it takes the place of the last one.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, this.file);
    } catch (cause) {
      throw unusable(this.file, 'cannot be written', cause);
    }
    // Counted from the end, so that slow disks do not eat the time.
    this.last = performance.now();
  }

  async finish(): Promise<void> {
    await rm(this.file, { force: true });
    await rm(`${this.file}.tmp`, { force: true });
  }
}

async function readCheckpoint(file: string, identity: Identity): Promise<Uint8Array | null> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(file, 'cannot be read', cause);
  }
  const header = headerOf(bytes);
  if (header === null) {
    throw new InputError({
      file,
      problem: 'not a checkpoint of hindcast',
      needed: 'a checkpoint, or a file that does not exist yet',
      hint: 'give --resume a new name',
    });
  }
  const different = Object.keys({ ...header.identity, ...identity }).filter(
    (part) => header.identity[part] !== identity[part],
  );
  if (header.version !== FORMAT_VERSION) different.unshift('format');
  if (different.length > 0) {
    throw new InputError({
      file,
      problem: 'the checkpoint belongs to another run',
      got: `different ${different.join(', ')}`,
      needed: 'the same log, policies or learners, options and version as when it was written',
      hint: 'run what it belongs to, or delete it to start afresh',
    });
  }
  const state = bytes.subarray(bytes.length - header.bytes);
  if (createHash('sha256').update(state).digest('hex') !== header.sha256) {
    throw new InputError({ file, problem: 'the checkpoint is damaged', hint: 'delete it to start afresh' });
  }
  return state;
}

/** `null` where the file is no checkpoint. */
function headerOf(bytes: Uint8Array): Header | null {
  const end = bytes.indexOf(10);
  if (end < 0) return null;
  try {
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as Partial<Header> | null;
    if (header?.format !== FORMAT || typeof header.bytes !== 'number') return null;
    if (typeof header.identity !== 'object' || header.identity === null) return null;
    return header.bytes === bytes.length - end - 1 ? (header as Header) : { ...(header as Header), sha256: '' };
  } catch {
    return null;
  }
}

function unusable(file: string, problem: string, cause: unknown): InputError {
  const got = cause instanceof Error ? cause.message : String(cause);
  return new InputError({ file, problem: `the checkpoint ${problem}`, got }, { cause });
}

/** A digest of values: plain data, typed arrays, maps, and functions by their source text. */
export class Fingerprint {
  private readonly hash = createHash('sha256');

  add(value: unknown): this {
    if (ArrayBuffer.isView(value)) {
      this.hash.update(`${value.constructor.name} ${value.byteLength};`);
      this.hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (value instanceof Map) this.add([...value]);
    else if (Array.isArray(value)) {
      this.hash.update(`[${value.length};`);
      for (const one of value) this.add(one);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, one]) => one !== undefined);
      this.add(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
    } else this.hash.update(`${typeof value} ${String(value)};`);
    return this;
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}

/** The same files; what is read goes into the fingerprint too. */
export function fingerprinted(files: SpecFiles, fingerprint: Fingerprint): SpecFiles {
  return {
    resolve: (path) => files.resolve(path),
    async bytes(path) {
      const bytes = await files.bytes(path);
      fingerprint.add(bytes);
      return bytes;
    },
    async parquet(path) {
      const table = await files.parquet(path);
      fingerprint.add(table);
      return table;
    },
  };
}
