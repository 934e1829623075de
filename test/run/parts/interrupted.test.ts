/** A part that is interrupted at any batch goes on to the sums of one that was left alone. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluatePart } from '#dist/evaluate.js';
import type { MadePart } from '#dist/run/parts/plan.js';
import { inTwoSizes } from '../../long.js';
import { streamLog } from '../stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-part-'));
const resume = join(folder, 'part.state');
afterAll(() => rmSync(folder, { recursive: true }));

const asked = { command: '', paths: {}, options: {} };
const OPTIONS: EvaluateOptions = {
  log: streamLog({ events: 200 }),
  policies: [
    { family: 'constant' },
    { family: 'table', keys: ['segment'], tables: [{ choices: { new: 1, never: 3 } }] },
    { family: 'uniform', replicas: 60 },
  ],
  ...{ device: 'cpu', threads: 1, stretchEvents: 16, blocks: { period: 3_600_000 } },
};
const never = (): boolean => false;

/** What was evaluated, without what it took. */
const evaluated = (part: MadePart | null) => ({ span: part?.span, sums: part?.sums });

describe.each([
  ['of policies', 2],
  ['of events', 5],
])('parts %s', (_, of) => {
  inTwoSizes('interrupted again and again', [[of], Array.from({ length: of }, (_, i) => i + 1)], async (numbers) => {
    for (const number of numbers) {
      const part = { number, of };
      const alone = await evaluatePart(OPTIONS, { part, asked }, never);
      let interruptions = 0;
      let made: MadePart | null = null;
      while (made === null) {
        const controller = new AbortController();
        const run = evaluatePart(
          {
            ...{ ...OPTIONS, resume, checkpointEvery: 0, signal: controller.signal },
            // Every run comes one batch further, whatever it is at.
            onProgress: () => controller.abort(new Error('interrupted')),
          },
          { part, asked },
          never,
        );
        made = await run.catch((error: Error) => {
          expect(error.message).toBe('interrupted');
          interruptions++;
          return null;
        });
      }
      expect(evaluated(made)).toEqual(evaluated(alone));
      expect(interruptions).toBeGreaterThan(10);
      expect(existsSync(resume)).toBe(false);
    }
  });

  it('a state is that of one part', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('interrupted'));
    const options = { ...OPTIONS, resume, checkpointEvery: 0 };
    const first = { part: { number: 1, of }, asked };
    await evaluatePart({ ...options, signal: controller.signal, onProgress }, first, never).catch(() => {});
    expect(existsSync(resume)).toBe(true);
    await expect(evaluatePart(options, { part: { number: 2, of }, asked }, never)).rejects.toThrow('different part');
    await expect(
      evaluatePart(options, { ...first, asked: { command: '', paths: {}, options: { top: 3 } } }, never),
    ).rejects.toThrow('different options');
    await evaluatePart(options, first, never);
  });
});
