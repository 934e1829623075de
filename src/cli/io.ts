/** What a command may touch of the process it runs in, so that tests can run commands in-process. */

import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { EngineError } from '../errors.js';
import { MOST_WIDTH, PLAIN, type Style, WIDTH } from '../report/style.js';
import { wrapLines } from '../report/text.js';
import { reasonOf } from './failure.js';

/** A stream that may be a terminal. */
export type Sink = Writable & { isTTY?: boolean; columns?: number };

export interface Io {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C; its reason is an `Interrupted`. */
  readonly signal: AbortSignal;
}

/** Width and colours for a stream; colours only on a terminal, and not where NO_COLOR is set (https://no-color.org) or TERM is dumb. */
export function styleFor(stream: Sink, env: Io['env']): Style {
  if (stream.isTTY !== true) return PLAIN;
  const width = Math.min(MOST_WIDTH, Math.max(WIDTH, stream.columns ?? WIDTH));
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return { ...PLAIN, width };
  // Themes redefine colours, and some make gray or blue vanish on black: dim text keeps the terminal's own colour.
  return {
    width,
    strong: (text) => paint('bold', text),
    faint: (text) => paint('dim', text),
    warn: (text) => paint('yellow', text),
  };
}

// Whether to colour was decided above, for this stream; styleText's own check is of process.stdout.
function paint(format: 'bold' | 'dim' | 'yellow', text: string): string {
  return text === '' ? '' : styleText(format, text, { validateStream: false });
}

/** Names of this process's standard output. */
const STANDARD_OUTPUT: readonly (string | undefined)[] = [
  undefined,
  '-',
  '/dev/stdout',
  '/dev/fd/1',
  '/proc/self/fd/1',
];

/** Whether `--out` stands for the standard output, as it does where it is not given. */
export function isStandardOutput(out: string | undefined): out is undefined {
  return STANDARD_OUTPUT.includes(out);
}

/**
 * Writes and waits until the stream took it all. A reader that left (`| head`) is no error.
 *
 * @throws EngineError where the stream does not take it all, such as a file on a full disk.
 */
export async function writeAll(stream: Sink, content: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      if (error && !isClosedPipe(error))
        reject(
          new EngineError(`writing failed, and the output is not whole\n  got:    ${reasonOf(error)}`, {
            cause: error,
          }),
        );
      else resolve();
    };
    // The stream reports a closed pipe twice: to the callback and as an event that would end the process.
    stream.once('error', settle);
    stream.write(content, (error) => {
      settle(error);
      // The event follows the callback, so the listener must outlive it.
      setImmediate(() => stream.off('error', settle));
    });
  });
}

/** Writes to standard error: to a terminal in lines that fit it, elsewhere as it is. */
export async function tell({ stderr, env }: Pick<Io, 'stderr' | 'env'>, text: string): Promise<void> {
  const { width, warn } = styleFor(stderr, env);
  const shown = stderr.isTTY === true ? wrapLines(text, width).replaceAll(/^hindcast:/gm, warn) : text;
  await writeAll(stderr, shown);
}

/** True for the error of writing to a pipe that nobody reads any more. */
function isClosedPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}
