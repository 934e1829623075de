/**
 * Puts faults into R6A and R6B text, at given rates and seeded, and knows exactly what a reader must count and keep.
 * At most one fault per line, so that counts by kind have one answer.
 */

import { InputError } from '../errors.js';
import { PURPOSE, WorldDraws } from './draws.js';
import { type Dirt, type Line, SPOILERS, type Spoiled } from './yahoo-spoilers.js';

export type { Dirt } from './yahoo-spoilers.js';

export interface YahooDirtOptions {
  readonly format: 'r6a' | 'r6b';
  /** A whole number in 0..2³²−1. */
  readonly seed: number;
  /** Share of lines that get each fault; all together at most 1. Faults that a format cannot have are refused. */
  readonly rates: Readonly<Partial<Record<Dirt, number>>>;
}

/** Faults that a format can have. */
export function yahooDirts(format: 'r6a' | 'r6b'): Dirt[] {
  return (Object.keys(SPOILERS) as Dirt[]).filter((dirt) => SPOILERS[dirt][format] !== undefined);
}

/**
 * A stream of lines goes in, batch by batch, and comes out dirty:
 *
 *     const dirt = new YahooDirt({ format: 'r6a', seed: 1, rates: { shortArticle: 0.01, crlf: 0.1 } });
 *     for (…) write(dirt.soil(writeR6aLines(events, from, to)));
 *     dirt.counts; dirt.dropped; dirt.leftOut; dirt.withoutUser;
 *
 * The same bytes for the same seed, however the lines are cut into batches.
 */
export class YahooDirt {
  /** What a reader counts: occurrences by its name of the kind (src/formats/yahoo/kinds.ts). */
  readonly counts = new Map<string, number>();
  /** Faults put in, by name. */
  readonly injected = new Map<Dirt, number>();
  /** Events that no longer are one; ascending, counted from 0 at the first line. */
  readonly dropped: number[] = [];
  /** Articles that are no longer in an event's pool, by id. */
  readonly leftOut: { event: number; article: string }[] = [];
  /** Events of R6B whose user has no features any more: context 0. */
  readonly withoutUser: number[] = [];
  private readonly draws: WorldDraws;
  private readonly bounds: readonly { dirt: Dirt; below: number }[];
  private event = 0;

  /** @throws InputError for rates that are none, or faults that the format cannot have. */
  constructor(private readonly options: YahooDirtOptions) {
    this.draws = new WorldDraws(options.seed);
    let below = 0;
    this.bounds = Object.entries(options.rates).map(([name, rate]) => {
      const dirt = name as Dirt;
      checkRate(options.format, dirt, rate);
      below += rate;
      return { dirt, below };
    });
    if (below > 1 + 1e-9) {
      throw new InputError({ problem: 'the rates of faults add up to more than 1', got: String(below) });
    }
  }

  /** @param lines whole sound lines, each with its line feed. */
  soil(lines: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    let clean = 0;
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf(10, from);
      if (end < 0) throw new RangeError('the last line does not end');
      const spoiled = this.spoil(lines, from, end);
      if (spoiled !== null) {
        parts.push(lines.subarray(clean, from), spoiled);
        clean = end + 1;
      }
      from = end + 1;
      this.event++;
    }
    parts.push(lines.subarray(clean));
    return joined(parts);
  }

  /** The line with its fault; `null` where it stays as it is. */
  private spoil(lines: Uint8Array, from: number, end: number): Uint8Array | null {
    const { event, draws, options } = this;
    const unit = draws.unit(event, PURPOSE.dirt);
    const dirt = this.bounds.find(({ below }) => unit < below)?.dirt;
    if (dirt === undefined) return null;
    const line = parsed(decoder.decode(lines.subarray(from, end)));
    const spoiled = SPOILERS[dirt][options.format]?.(line, (n, use) => draws.below(n, event, PURPOSE.dirt + 1 + use));
    if (spoiled === undefined) return null;
    this.injected.set(dirt, (this.injected.get(dirt) ?? 0) + 1);
    this.record(spoiled);
    return encoder.encode(`${spoiled.text}\n`);
  }

  private record({ kind, lost, article }: Spoiled): void {
    const { event } = this;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (lost === 'event') this.dropped.push(event);
    else if (lost === 'article') this.leftOut.push({ event, article: article ?? '' });
    else if (lost === 'user') this.withoutUser.push(event);
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function checkRate(format: 'r6a' | 'r6b', dirt: Dirt, rate: number): void {
  const can = yahooDirts(format);
  if (!can.includes(dirt)) {
    throw new InputError({ problem: `no such fault of ${format}`, got: String(dirt), needed: can.join(', ') });
  }
  if (!(rate >= 0 && rate <= 1)) {
    throw new InputError({ problem: `the rate of ${dirt} is no share`, got: String(rate), needed: '0 to 1' });
  }
}

function parsed(text: string): Line {
  const tokens = text.split(' ');
  const [time, displayed, click, , ...rest] = tokens;
  const first = rest.findIndex((token) => token.startsWith('|'));
  const pool: string[][] = [];
  for (const token of rest.slice(first)) {
    if (token.startsWith('|')) pool.push([token]);
    else pool[pool.length - 1].push(token);
  }
  return { time, displayed, click, user: rest.slice(0, first), pool };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
