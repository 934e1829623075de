/** Runs in parts: logs, and what the tests of parts share. */

import { open, readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import { writePacked } from '#dist/packed/write.js';
import { hindcast } from './in-process.js';

/** Writes a packed log. */
export async function pack(log: EventLog, file: string): Promise<void> {
  const handle = await open(file, 'w');
  await writePacked(streamOf(log), handle, { groupEvents: 64 });
  await handle.close();
}

/** Runs a command line that ends well, and returns what it said. */
export async function well(argv: readonly string[]): Promise<string> {
  const { status, stderr } = await hindcast(argv);
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  return stderr;
}

/** What a command line that ends with bad input said. */
export async function refused(argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await hindcast(argv);
  expect([status, stdout], stderr).toEqual([2, '']);
  return stderr;
}

/** A result, without the engine. */
export async function resultOf(file: string): Promise<{ readonly warnings: string[] }> {
  const { engine, ...result } = JSON.parse(await readFile(file, 'utf8'));
  expect(engine.device).toMatch(/cpu|gpu/);
  return result;
}

export interface Parting {
  readonly of: number;
  /** Names of files begin with it. */
  readonly name: string;
  /** Of parts. */
  readonly device?: readonly string[];
  /** Of the merge. */
  readonly merge?: readonly string[];
  /** What is counted of the log is in a file that parts and merge share. */
  readonly shared?: boolean;
}

function countsOf({ name, shared = false }: Parting): string[] {
  return shared ? ['--counts', `${name}.counts`] : [];
}

/** Computes the parts of a run. @returns their files. */
export async function partsOf(run: readonly string[], parting: Parting): Promise<string[]> {
  const { of, name, device = [] } = parting;
  const files = Array.from({ length: of }, (_, i) => `${name}-${i + 1}.parquet`);
  for (const [i, file] of files.entries())
    await well([...run, ...device, ...countsOf(parting), '--part', `${i + 1}/${of}`, '--out', file]);
  return files;
}

/** The result of a run in parts, given in an order that is not theirs. */
export async function merged(run: readonly string[], parting: Parting): Promise<{ readonly warnings: string[] }> {
  const files = await partsOf(run, parting);
  const out = `${parting.name}.json`;
  const options = [...(parting.merge ?? ['--device', 'cpu']), ...countsOf(parting)];
  await well(['merge', ...files.reverse(), ...options, '--out', out]);
  return resultOf(out);
}
