/** Faults of payoffs as a whole, which are known at the end: they name the file and its column in every format. */

import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { readStream } from '#dist/open/read-stream.js';
import { fault, write } from '../log/files.js';
import { convertEach } from '../packed/merged.js';

const CLOSE = /payoffs lie too close together for 64-bit numbers\n {2}got: {4}0 to 5e-324/;
const mapping = { arm: 'arm', payoff: 'revenue' };
const csv = (...payoffs: string[]) => `arm,revenue\n${payoffs.map((r, t) => `${'ab'[t % 2]},${r}\n`).join('')}`;

const FILES: Record<string, [text: string, column: string]> = {
  csv: [csv('0', '5e-324'), ', column "revenue"'],
  jsonl: ['{"arm":"a","revenue":0}\n{"arm":"b","revenue":5e-324}\n', ', column "revenue"'],
  vw: ['1:0:0.5 | a\n2:-5e-324:0.5 | a\n', ''],
};

describe('payoffs too close together', () => {
  it.each(Object.entries(FILES))('%s', async (name, [text, column]) => {
    const path = write(`close.${name}`, text);
    const options = name === 'vw' ? {} : { mapping };
    const whole = await fault(readLog([path], options));
    expect(whole.message).toMatch(CLOSE);
    expect(whole.message.startsWith(`${path}${column}: `)).toBe(true);
    const batches = await fault(readStream([path], options, 64e6));
    expect(batches.message).toBe(whole.message);
  });

  it('packed logs that are read as one', async () => {
    const texts = [csv('0', '0'), csv('5e-324', '5e-324')];
    const files = texts.map((text, i) => write(`close-${i}.csv`, text));
    const packed = await convertEach(files, { mapping });
    const { message } = await fault(readLog(packed, {}));
    expect(message).toMatch(CLOSE);
    expect(message.startsWith(`${packed.join(', ')}: `)).toBe(true);
  });
});
