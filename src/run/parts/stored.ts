/** The parts of one run, all there are of it: which they must be, and in which order they are taken. */

import { InputError } from '../../errors.js';
import type { Identity } from '../checkpoint/file.js';
import type { AskedRun, PartHeader } from './header.js';
import type { PartFile } from './part-file.js';

/** Names that a message lists. */
const MOST_NAMED = 20;

export class StoredParts {
  /** @param files each part of the run once, in order: `completeParts`. @param counts the file that they share. */
  constructor(
    readonly files: readonly PartFile[],
    readonly counts: string | undefined,
  ) {}

  /** The run as it was asked for. */
  get asked(): AskedRun {
    return this.files[0].header.asked;
  }

  get command(): PartHeader['command'] {
    return this.files[0].header.command;
  }

  /** Policies that every part compared with the reference; `null`: none was asked for. */
  get verified(): number | null {
    const counts = this.files.map(({ header }) => header.verified);
    return counts.reduce((least, count) => (least === null || count === null ? null : Math.min(least, count)));
  }

  /** Parts with the same events, in the order of the log. */
  byEvents(): readonly { readonly events: readonly [number, number]; readonly parts: readonly PartFile[] }[] {
    const groups: { events: readonly [number, number]; parts: PartFile[] }[] = [];
    for (const file of this.files) {
      const { events } = file.header.span;
      const last = groups[groups.length - 1];
      if (last !== undefined && last.events.join() === events.join() && events[0] < events[1]) last.parts.push(file);
      else groups.push({ events, parts: [file] });
    }
    return groups;
  }

  /** @param identity of the run whose result is to be made. @throws InputError where the parts are of another one. */
  requireRun(identity: Identity): void {
    const [{ name, header }] = this.files;
    const different = differences(identity, header.identity);
    if (different.length === 0) return;
    throw new InputError({
      file: name,
      problem: `the parts were computed from other ${different.join(', ')} than there are now`,
      got: `different ${different.join(', ')}`,
      needed:
        'the log, and the files of policies or learners, as they were when the parts were computed, and the same version',
      hint: 'put back what has changed; or delete the parts and compute them again',
    });
  }

  /** @param events of a part. @param most that the memory holds. @throws InputError where they do not fit. */
  checkRoom(events: number, most: number): void {
    if (events <= most) return;
    throw new InputError({
      problem:
        'the valid events of policies are looked for in the events of one part at a time, which do not fit the memory',
      got: `${events} events in a part`,
      needed: `at most ${most}`,
      hint: 'a larger --memory, or more parts',
    });
  }
}

/** Names of what is not the same. */
export function differences(a: Identity, b: Identity): string[] {
  return Object.keys({ ...a, ...b }).filter((name) => a[name] !== b[name]);
}

/**
 * The parts of one run in order.
 *
 * @throws InputError that names every file that is of another run, every part that is there twice, and those that are missing.
 */
export function completeParts(files: readonly PartFile[], counts?: string): StoredParts {
  const [first] = files;
  const faults = [...foreign(files), ...doubled(files)];
  const { of } = first.header.part;
  const there = new Set(files.map(({ header }) => header.part.number));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((number) => !there.has(number));
  if (faults.length === 0 && missing.length > 0)
    faults.push(`missing: ${missing.length === 1 ? 'part' : 'parts'} ${some(missing.map(String))} of ${of}`);
  if (faults.length > 0) {
    throw new InputError({
      problem: 'the files are not the parts of one run, each once',
      got: some(faults, '; '),
      needed: `parts 1 to ${of} of the run of ${first.name}`,
      hint: faults[0].startsWith('missing')
        ? `compute what is missing: the same command with --part ${missing[0]}/${of} --out FILE`
        : 'leave out what does not belong',
    });
  }
  return new StoredParts(
    [...files].sort((a, b) => a.header.part.number - b.header.part.number),
    counts,
  );
}

function foreign(files: readonly PartFile[]): string[] {
  const [{ name: firstName, header: first }] = files;
  return files.flatMap(({ name, header }) => {
    const different = differences(header.identity, first.identity);
    if (header.command !== first.command) different.unshift('command');
    const asked = askedDifferently(header.asked.options, first.asked.options);
    const what = [
      ...different.filter((part) => part !== 'options' || asked.length === 0),
      ...(different.includes('options') ? asked : []),
      ...(header.part.of === first.part.of ? [] : [`number of parts (${header.part.of}, not ${first.part.of})`]),
    ];
    return what.length === 0 ? [] : [`${name} is of another run than ${firstName}: different ${what.join(', ')}`];
  });
}

/** Options that differ, with both values. */
export function askedDifferently(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): string[] {
  return Object.keys({ ...a, ...b }).flatMap((name) => {
    const [own, other] = [a[name], b[name]].map((value) => (value === undefined ? 'none' : JSON.stringify(value)));
    return own === other ? [] : [`${name} (${own}, not ${other})`];
  });
}

function doubled(files: readonly PartFile[]): string[] {
  const byNumber = new Map<number, string>();
  return files.flatMap(({ name, header: { part } }) => {
    const before = byNumber.get(part.number);
    byNumber.set(part.number, name);
    return before === undefined ? [] : [`part ${part.number} is there twice: ${before} and ${name}`];
  });
}

function some(names: readonly string[], between = ', '): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return names.slice(0, MOST_NAMED).join(between) + more;
}
