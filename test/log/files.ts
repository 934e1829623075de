/** Files for the reader tests: written into a temporary directory that goes away with the process. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { InputError } from '#dist/errors.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import type { LogStream } from '#dist/log/stream.js';
import { streamOf } from '#dist/log/stream-of.js';
import { openPacked } from '#dist/packed/read.js';
import { writePacked } from '#dist/packed/write.js';

const directory = mkdtempSync(join(tmpdir(), 'hindcast-test-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

/** Writes a file and returns its path. */
export function write(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

export function pathOf(name: string): string {
  return join(directory, name);
}

export const MAPPING = { arm: 'arm', payoff: 'payoff' } as const;

/** Reads one file written on the spot. */
export function read(name: string, content: string | Uint8Array, options: ReadOptions = {}): Promise<EventLog> {
  return readLog([write(name, content)], { mapping: { ...MAPPING }, ...options });
}

/** Writes a packed log and returns its path. */
export async function pack(name: string, log: EventLog, groupEvents?: number): Promise<string> {
  const path = pathOf(name);
  const file = await open(path, 'w');
  try {
    await writePacked(streamOf(log), file, { groupEvents });
  } finally {
    await file.close();
  }
  return path;
}

/** Opens a packed log for `use`, and closes it. */
export async function withPacked<T>(path: string, use: (stream: LogStream) => Promise<T>): Promise<T> {
  const stream = await openPacked(path);
  try {
    return await use(stream);
  } finally {
    await stream.close();
  }
}

/** The InputError that a reading ends with. */
export async function fault(reading: Promise<unknown>): Promise<InputError> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('no error was raised');
}

/** The payoffs of a log, back from their steps. */
export function payoffs({ payoff: { steps, scale } }: EventLog): number[] {
  return Array.from(steps, (k) =>
    scale.rounded
      ? (scale.base ?? scale.low) + k * (scale.span ?? scale.high - scale.low) * 2 ** -32
      : ((scale.origin + k) * scale.numerator) / scale.denominator,
  );
}

/** Context of event t. */
export function context({ contexts: { values, dimension, row } }: EventLog, t: number): number[] {
  const r = row === null ? t : row[t];
  return Array.from(values.subarray(r * dimension, (r + 1) * dimension));
}

/** Candidate ids of event t. */
export function candidates({ pools, arms }: EventLog, t: number): string[] {
  const s = pools.pool === null ? 0 : pools.pool[t];
  return Array.from(pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1]), (a) => arms.ids[a]);
}

/** Logged arm ids. */
export function armIds({ arm, arms }: EventLog): string[] {
  return Array.from(arm, (a) => arms.ids[a]);
}
