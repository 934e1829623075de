/** Parts of a run as files: written by `evaluate` and `replay` with `--part`, put together by `hindcast merge`. */

import { open, stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { printable } from '../printable.js';
import type { Identity } from '../run/checkpoint/file.js';
import type { AskedRun } from '../run/parts/header.js';
import type { PartFile } from '../run/parts/part-file.js';
import { type MadePart, type PartNumber, partText } from '../run/parts/plan.js';
import type { StoredParts } from '../run/parts/stored.js';
import { plural } from '../words.js';
import type { Io } from './io.js';
import { withFiles } from './output-files.js';

/** A part that is to be computed. */
export interface PartCommand {
  readonly command: 'evaluate' | 'replay';
  readonly part: PartNumber;
  readonly asked: AskedRun;
  /** Where it goes. */
  readonly file: string;
  readonly io: Io;
}

/** @returns `null`: `isThere` said so. */
type Compute = (
  isThere: (identity: Identity) => boolean,
) => Promise<(MadePart & { readonly identity: Identity }) | null>;

/**
 * Computes a part and writes it, unless its file is there already.
 *
 * @returns what was done, for standard error.
 * @throws InputError where there is another file in its place, which stays.
 */
export async function writePartFile(asked: PartCommand, compute: Compute): Promise<string> {
  const { file, part, io } = asked;
  const text = `part ${partText(part)}`;
  if ((await stat(file).catch(() => null))?.isFile() === true) {
    await requireSame(asked, compute);
    return `hindcast: ${text} is there already, whole, in ${printable(file)}; nothing was computed\n`;
  }
  const { writePart } = await import('../run/parts/part-file.js');
  const { span, sums } = await withFiles([{ path: file, option: '--out' }], io, async ([temporary]) => {
    const made = await compute(() => false);
    if (made === null) throw new RangeError('a part that is not there was not computed');
    const { sums, ...about } = made;
    const handle = await open(temporary, 'r+');
    try {
      const { command, asked: run } = asked;
      await writePart(handle, { command, part, asked: run, ...about }, sums);
    } finally {
      await handle.close();
    }
    return made;
  });
  const rows = sums.tables.reduce((sum, { policies }) => sum + policies, 0);
  const events = span.events[1] - span.events[0];
  const what = asked.command === 'evaluate' ? plural(rows, 'policy', 'policies') : plural(rows, 'replica');
  return `hindcast: ${text} is in ${printable(file)}: ${what} on ${plural(events, 'event')}\n`;
}

/** @throws InputError where the file is anything but this part, whole. */
async function requireSame({ command, part, asked, file }: PartCommand, compute: Compute): Promise<void> {
  const { PartFile } = await import('../run/parts/part-file.js');
  const { askedDifferently, differences } = await import('../run/parts/stored.js');
  const refuse = (different: readonly string[]): void => {
    if (different.length === 0) return;
    throw new InputError({
      file,
      problem: 'there is another part in its place, and it was not overwritten',
      got: `different ${different.join(', ')}`,
      needed: `part ${partText(part)} of this run, or no file`,
      hint: 'another --out, or delete the file if nobody needs it',
    });
  };
  const there = await PartFile.open(file);
  try {
    const { header } = there;
    refuse([
      ...(header.command === command ? [] : ['command']),
      ...(partText(header.part) === partText(part) ? [] : [`part (${partText(header.part)}, not ${partText(part)})`]),
      ...askedDifferently(header.asked.options, asked.options),
    ]);
    await there.check();
    await compute((identity) => {
      refuse(differences(header.identity, identity));
      return true;
    });
  } finally {
    await there.close();
  }
}

/**
 * Runs work with the parts of one run, all there are of it.
 *
 * @param counts the file that they share.
 * @throws InputError that names each file that cannot be used, and parts that are missing.
 */
export async function withParts<T>(
  names: readonly string[],
  counts: string | undefined,
  work: (parts: StoredParts) => Promise<T>,
): Promise<T> {
  const { PartFile } = await import('../run/parts/part-file.js');
  const { completeParts } = await import('../run/parts/stored.js');
  const files: PartFile[] = [];
  const faults: InputError[] = [];
  try {
    for (const name of names) {
      try {
        files.push(await PartFile.open(name));
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        faults.push(error);
      }
    }
    if (faults.length > 0) throw together(faults, names.length);
    return await work(completeParts(files, counts));
  } finally {
    for (const file of files) await file.close();
  }
}

/** Several faults as one. */
function together(faults: readonly InputError[], of: number): InputError {
  if (faults.length === 1) return faults[0];
  return new InputError({
    problem: `${faults.length} of ${plural(of, 'file')} cannot be used`,
    got: faults.map(({ fault }) => `${fault.file}: ${fault.problem}`).join('; '),
    needed: 'the files that evaluate or replay wrote with --part',
    hint: faults[0].fault.hint,
  });
}
