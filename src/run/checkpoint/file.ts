/**
 * Checkpoints in a file: one line of JSON that says what they belong to, then the state. The file is replaced whole, by
 * renaming, so that whatever moment a process is killed at leaves the last complete one.
 */

import { createHash, type Hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InputError } from '../../errors.js';
import type { SpecFiles } from '../../policy/family.js';
import { plural } from '../../words.js';
import type { Checkpoints } from './checkpoint.js';
import type { CheckpointPlace } from './place.js';
import { ValueHash } from './value-hash.js';

const FORMAT = 'hindcast-checkpoint';
const FORMAT_VERSION = 3;

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
  private failures = 0;
  /** Why the last checkpoint could not be written; `null`: it was. */
  failure: string | null = null;
  private firstFailure = '';

  private constructor(
    private readonly place: CheckpointPlace,
    private readonly identity: Identity,
    private readonly everyMs: number,
    readonly resumed: Uint8Array | null,
  ) {}

  /**
   * @param place where it is; where the caller has not taken it, its name, and nobody else is kept away.
   * @param every seconds between two checkpoints.
   * @throws InputError for a file that is something else, or the checkpoint of another run.
   */
  static async open(place: CheckpointPlace, identity: Identity, every: number): Promise<CheckpointFile> {
    return new CheckpointFile(place, identity, every * 1000, await readState(place.file, identity, CHECKPOINT));
  }

  due(): boolean {
    return performance.now() - this.last >= this.everyMs;
  }

  async save(state: Uint8Array): Promise<void> {
    try {
      await this.place.write(stateFile(this.identity, state));
      this.failure = null;
    } catch (cause) {
      // The run is worth more than its checkpoint.
      this.failure = cause instanceof Error ? cause.message : String(cause);
      if (this.failures++ === 0) this.firstFailure = this.failure;
    }
    // Counted from the end, so that slow disks do not eat the time.
    this.last = performance.now();
  }

  warnings(): readonly string[] {
    if (this.failures === 0) return [];
    const times = this.failures === 1 ? 'once' : `${plural(this.failures, 'time')}`;
    return [
      `the checkpoint ${this.place.file} could not be written ${times} (${this.firstFailure}); the result is not touched by that, but a run that ended there would have gone on from an older state`,
    ];
  }
}

/** What a file of state is called in messages, and the option that names it. */
export interface StateKind {
  readonly name: string;
  readonly option: string;
}

const CHECKPOINT: StateKind = { name: 'checkpoint', option: '--resume' };

/** The content of a file of state. */
export function stateFile(identity: Identity, state: Uint8Array): readonly Uint8Array[] {
  const header: Header = {
    ...{ format: FORMAT, version: FORMAT_VERSION, identity, bytes: state.length },
    sha256: createHash('sha256').update(state).digest('hex'),
  };
  return [Buffer.from(`${JSON.stringify(header)}\n`), state];
}

/** @returns `null`: there is no file. @throws InputError for one that is something else, or of another run. */
export async function readState(
  file: string,
  identity: Identity,
  { name, option }: StateKind,
): Promise<Uint8Array | null> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw new InputError({ file, problem: `the ${name} cannot be read`, got: cause.message }, { cause });
  });
  if (bytes === null) return null;
  const header = headerOf(bytes);
  if (header === null) {
    throw new InputError({
      file,
      problem: `not a ${name} of hindcast`,
      needed: `a ${name}, or a file that does not exist yet`,
      hint: `give ${option} a new name`,
    });
  }
  const different = Object.keys({ ...header.identity, ...identity }).filter(
    (part) => header.identity[part] !== identity[part],
  );
  if (header.version !== FORMAT_VERSION) different.unshift('format');
  if (different.length > 0) {
    throw new InputError({
      file,
      problem: `the ${name} belongs to another run`,
      got: `different ${different.join(', ')}`,
      needed: 'the same log, policies or learners, options and version as when it was written',
      hint: 'run what it belongs to, or delete it to start afresh',
    });
  }
  const state = bytes.subarray(bytes.length - header.bytes);
  if (createHash('sha256').update(state).digest('hex') !== header.sha256) {
    throw new InputError({ file, problem: `the ${name} is damaged`, hint: 'delete it to start afresh' });
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

/** A digest of values by SHA-256. */
export class Fingerprint extends ValueHash {
  private readonly sha256: Hash;

  constructor() {
    const sha256 = createHash('sha256');
    super((part) => void sha256.update(part));
    this.sha256 = sha256;
  }

  digest(): string {
    return this.sha256.digest('hex');
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
