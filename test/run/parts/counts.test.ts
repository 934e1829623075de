/** What is counted of the whole log, shared by the parts of a run: counted once, and the sums are those of parts that counted themselves. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluatePart } from '#dist/evaluate.js';
import type { LogStream } from '#dist/log/stream.js';
import { streamOf } from '#dist/log/stream-of.js';
import type { PartNumber } from '#dist/run/parts/plan.js';
import { streamLog } from '../stream-log.js';
import { skewedLog } from '../thinned-log.js';

let folder: string;
let counts: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-counts-'));
  counts = join(folder, 'counts');
});
afterEach(() => rmSync(folder, { recursive: true }));

const EVENTS = 300;
const OF = 3;
const asked = { command: '', paths: {}, options: {} };
const never = (): boolean => false;
const PARTS = Array.from({ length: OF }, (_, i): PartNumber => ({ number: i + 1, of: OF }));

/** A stream that tells itself from others, and notes the events that were read of it. */
function noted(log: ReturnType<typeof streamLog>): LogStream & { readonly seen: [number, number][] } {
  const whole = streamOf(log);
  const seen: [number, number][] = [];
  return {
    ...{ ...whole, seen, identity: ['this one'] },
    read(from, to, ...more) {
      seen.push([from, to]);
      return whole.read(from, to, ...more);
    },
  };
}

const uniform = { log: streamLog({ events: EVENTS, table: false }) };
const skewed = { log: skewedLog({ events: EVENTS, table: false }) };
const weights = [1, 2, 3].map((p) => [0, 1, 2, 3, 4, 5].map((a) => [0, 1, 2, 3].map((j) => ((p + a * j) % 5) - 2)));
const POLICIES = [{ family: 'linear', weights }, { family: 'constant' }] as const;
const RUNS: readonly [string, Pick<EvaluateOptions, 'log'> & Partial<EvaluateOptions>][] = [
  ['replay', uniform],
  ['blocks of users, by segment', { ...uniform, blocks: { users: 5 }, by: ['segment'] }],
  ['estimators that weigh, by default', skewed],
  ['two-word columns and a reward model', { ...skewed, estimators: ['ips', 'dr', 'cressie-read'] }],
];

describe.each(RUNS)('%s', (_, run) => {
  it('the second part reads its own events alone, and all parts are what they are without', async () => {
    const stream = noted(run.log as ReturnType<typeof streamLog>);
    const options = { policies: POLICIES, device: 'cpu', threads: 1, stretchEvents: 32, ...run, log: stream } as const;
    for (const part of PARTS) {
      const alone = await evaluatePart(options, { part, asked }, never);
      stream.seen.length = 0;
      const shared = await evaluatePart(options, { part, asked, counts }, never);
      expect(shared?.sums).toEqual(alone?.sums);
      const [from, to] = alone?.span.events ?? [0, 0];
      const outside = stream.seen.filter(([first, end]) => first < from || end > to);
      // Blocks of users are no function of the event's number, and so the events before a part are gone through.
      const before = outside.filter(([, end]) => end <= from);
      if (part.number === 1) expect(outside).not.toEqual([]);
      else expect(outside).toEqual(run.blocks === undefined ? [] : before);
    }
  });
});

const OPTIONS: EvaluateOptions = { ...uniform, policies: POLICIES, device: 'cpu', threads: 1 };
const first = (options: EvaluateOptions, file = counts): Promise<unknown> =>
  evaluatePart(options, { part: PARTS[0], asked, counts: file }, never);

describe('a file of counts', () => {
  it.each<[string, Partial<EvaluateOptions>, string]>([
    ['another log', { log: streamLog({ events: EVENTS - 1 }) }, 'different log'],
    ['other policies', { policies: [{ family: 'constant', arms: [0] }] }, 'different policies'],
    ['other blocks', { blocks: 7 }, 'different options'],
  ])('of %s is refused', async (_, other, got) => {
    await first(OPTIONS);
    const before = readFileSync(counts);
    await expect(first({ ...OPTIONS, ...other })).rejects.toMatchObject({
      fault: { file: counts, problem: 'the file of counts belongs to another run', got },
    });
    expect(readFileSync(counts)).toEqual(before);
  });

  it('that is something else, or damaged, is refused and stays', async () => {
    writeFileSync(counts, 'counts\n');
    await expect(first(OPTIONS)).rejects.toMatchObject({ fault: { problem: 'not a file of counts of hindcast' } });
    expect(readFileSync(counts, 'utf8')).toBe('counts\n');
    rmSync(counts);
    await first(OPTIONS);
    const bytes = readFileSync(counts);
    bytes[bytes.length - 9] ^= 1;
    writeFileSync(counts, bytes);
    await expect(first(OPTIONS)).rejects.toMatchObject({ fault: { problem: 'the file of counts is damaged' } });
  });

  it('is no checkpoint, nor is a checkpoint one', async () => {
    await first(OPTIONS);
    await expect(evaluatePart({ ...OPTIONS, resume: counts }, { part: PARTS[0], asked }, never)).rejects.toMatchObject({
      fault: { problem: 'the checkpoint belongs to another run' },
    });
    const controller = new AbortController();
    const resume = join(folder, 'state');
    const interrupted = { resume, checkpointEvery: 0, stretchEvents: 32, signal: controller.signal };
    const onProgress = (): void => controller.abort(new Error('interrupted'));
    await first({ ...OPTIONS, ...interrupted, onProgress }, join(folder, 'other')).catch(() => {});
    expect(existsSync(resume)).toBe(true);
    await expect(first({ ...OPTIONS, stretchEvents: 32 }, resume)).rejects.toMatchObject({
      fault: { problem: 'the file of counts belongs to another run' },
    });
  });

  it('that cannot be written is told before anything is read', async () => {
    const stream = noted(uniform.log);
    await expect(first({ ...OPTIONS, log: stream }, join(folder, 'none', 'counts'))).rejects.toMatchObject({
      fault: { problem: 'the file of counts cannot be written', hint: 'another place for --counts' },
    });
    expect(stream.seen).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is read by an interrupted run that has counted nothing', async () => {
    const options = { ...OPTIONS, stretchEvents: 32, resume: join(folder, 'state'), checkpointEvery: 0 };
    const alone = await evaluatePart(OPTIONS, { part: PARTS[1], asked }, never);
    const controller = new AbortController();
    const interrupted = { ...options, signal: controller.signal, onProgress: () => controller.abort(new Error('x')) };
    await evaluatePart(interrupted, { part: PARTS[1], asked, counts }, never).catch(() => {});
    expect(existsSync(counts)).toBe(false);
    await first({ ...OPTIONS, stretchEvents: 32 });
    const made = await evaluatePart(options, { part: PARTS[1], asked, counts }, never);
    expect(made?.sums).toEqual(alone?.sums);
  });
});
