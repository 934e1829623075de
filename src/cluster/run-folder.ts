/** The folder of a run that was submitted: what was run (`run.json`), its scripts, its parts and what they printed. */

import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../errors.js';
import { fileError } from '../files/file-error.js';

/** Version of `run.json` that this program writes and reads. */
const RUN_VERSION = 1;

const runSchema = z.strictObject({
  version: z.literal(RUN_VERSION),
  /** Version of hindcast that submitted it. */
  hindcast: z.string(),
  scheduler: z.enum(['slurm']),
  /** Names the jobs: those of the array `hindcast-ID`, that of the merge `hindcast-ID-merge`. */
  id: z.string(),
  /** Where the command was given; paths are relative to it. */
  directory: z.string(),
  /** The command whose result is to be made: `evaluate` or `replay`, and its words. */
  command: z.array(z.string()),
  /** N */
  parts: z.int().min(1),
  /** File that the merge writes. */
  result: z.string(),
});

/** What was submitted. */
export type SubmittedRun = z.infer<typeof runSchema>;

/** Bytes at the end of a log in which its last message is looked for. */
const TAIL = 8192;

/** Places in the folder of a run. */
export class RunFolder {
  /** @param path of the folder, absolute. */
  constructor(readonly path: string) {}

  get file(): string {
    return join(this.path, 'run.json');
  }

  get parts(): string {
    return join(this.path, 'parts');
  }

  get logs(): string {
    return join(this.path, 'logs');
  }

  /** Computes a part. */
  get taskScript(): string {
    return join(this.path, 'part.sh');
  }

  get mergeScript(): string {
    return join(this.path, 'merge.sh');
  }

  /** There when the result has been written. */
  get merged(): string {
    return join(this.path, 'merged');
  }

  part(number: number): string {
    return join(this.parts, `part-${number}.parquet`);
  }

  /** @param number of a part, or what stands for it; `null`: of the merge. */
  log(number: number | string | null): string {
    return join(this.logs, number === null ? 'merge.log' : `part-${number}.log`);
  }

  /** @returns `null` where there is no such folder. @throws InputError where what is there is no run of this version. */
  async find(): Promise<SubmittedRun | null> {
    const text = await readFile(this.file, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw fileError(this.file, error);
    });
    if (text === null) return null;
    const parsed = runSchema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    throw new InputError({
      file: this.file,
      problem: 'the file does not tell of a run that this version can read',
      got: z.prettifyError(parsed.error),
      needed: `what hindcast submit writes, version ${RUN_VERSION}`,
    });
  }

  /** @throws InputError where it is no run's. */
  async read(): Promise<SubmittedRun> {
    const run = await this.find();
    if (run !== null) return run;
    throw new InputError({
      file: this.path,
      problem: 'there is no run that was submitted',
      got: `no ${this.file}`,
      needed: 'the folder that hindcast submit named: --run, or the one that it told of',
    });
  }

  /** Parts whose files are there; they appear whole. */
  async done(): Promise<Set<number>> {
    return numbers(await names(this.parts), /^part-(\d+)\.parquet$/);
  }

  /** Parts that have begun at some time. */
  async begun(): Promise<Set<number>> {
    return numbers(await names(this.logs), /^part-(\d+)\.log$/);
  }

  async isMerged(): Promise<boolean> {
    return (await stat(this.merged).catch(() => null)) !== null;
  }

  /** The last thing that a task printed, with the lines that belong to it; `null`: nothing, or the file is not to be seen. */
  async lastSaid(number: number | null): Promise<string | null> {
    const text = await tail(this.log(number));
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    // What goes on with a message is indented.
    const last = lines.findLastIndex((line) => !line.startsWith('  '));
    return lines.length === 0 ? null : lines.slice(Math.max(0, last)).join('\n');
  }

  /** How long a part that is done took, in seconds; `null`: its log does not say when it began. */
  async took(number: number): Promise<number | null> {
    const [text, made] = await Promise.all([tail(this.log(number)), stat(this.part(number)).catch(() => null)]);
    const began = [...text.matchAll(/^part \d+ of \d+ begins on .* at (\S+)$/gm)].at(-1)?.[1];
    if (began === undefined || made === null) return null;
    return Math.max(0, (made.mtimeMs - Date.parse(began)) / 1000);
  }
}

async function names(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileError(folder, error);
  });
}

function numbers(files: readonly string[], pattern: RegExp): Set<number> {
  return new Set(files.flatMap((name) => (pattern.exec(name) === null ? [] : [Number(pattern.exec(name)?.[1])])));
}

async function tail(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, TAIL));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
