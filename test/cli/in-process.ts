/** Runs a command line in this process and returns what it wrote. */

import { Readable, Writable } from 'node:stream';
import type { Io, Sink } from '#dist/cli/io.js';
import { run } from '#dist/cli/run.js';

/** A stream that keeps what is written to it. */
export class Capture extends Writable {
  text = '';
  isTTY = false;
  columns = 80;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

/** An `Io` of captured streams. */
export function captured(
  part: { stdin?: Io['stdin']; tty?: boolean; columns?: number; env?: Io['env']; signal?: AbortSignal } = {},
): Io & {
  stdout: Capture & Sink;
  stderr: Capture & Sink;
} {
  const stdout = new Capture();
  const stderr = new Capture();
  stdout.columns = stderr.columns = part.columns ?? 80;
  stdout.isTTY = stderr.isTTY = part.tty ?? false;
  return {
    stdin: part.stdin ?? Readable.from([]),
    stdout,
    stderr,
    env: part.env ?? {},
    signal: part.signal ?? new AbortController().signal,
  };
}

/** Status and output of one command line. */
export async function hindcast(
  argv: readonly string[],
  part: Parameters<typeof captured>[0] = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  const io = captured(part);
  const status = await run(argv, io);
  return { status, stdout: io.stdout.text, stderr: io.stderr.text };
}
