/** What the tests of streams of policies share: policies of every family, logs, and the comparison with the whole log. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { streamLog } from './stream-log.js';

export const folder = mkdtempSync(join(tmpdir(), 'hindcast-stream-'));

/** Choices of three policies for each event, as int32 in an .npy file. */
export function choicesFile(events: number): string {
  const file = join(folder, `choices-${events}.npy`);
  const head = `{'descr': '<i4', 'fortran_order': False, 'shape': (${events}, 3), }`;
  const padded = `${head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11)}\n`;
  const header = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.alloc(2), Buffer.from(padded)]);
  header.writeUInt16LE(padded.length, 8);
  const data = Int32Array.from({ length: events * 3 }, (_, i) => ((i * 7919) % 7) - 1);
  writeFileSync(file, Buffer.concat([header, Buffer.from(data.buffer)]));
  return file;
}

/**
 * Entries of every family, with tables that lack arms for some events and have entries that no event asks for.
 *
 * @param drawing and once more with policies that draw.
 */
export function everyFamily(log: EventLog, drawing = false): string {
  const draws = new WorldDraws(3);
  const weights = Array.from({ length: 40 }, (_, p) =>
    Array.from({ length: 6 }, (_, a) =>
      Array.from({ length: 4 }, (_, j) =>
        p % 5 === 0 ? (p + a + j) % 3 : draws.draw(p * 24 + a * 4 + j, 1).first / 2 ** 32,
      ),
    ),
  );
  const file = join(folder, `set-${log.events}${drawing ? '-drawing' : ''}.json`);
  const entries: object[] = [
    { family: 'constant' },
    { family: 'uniform', seed: 5, replicas: 3 },
    { family: 'linear', weights },
    { family: 'joint-linear', features: 'both', weights: weights.slice(0, 12).map((row) => row.flat().slice(0, 14)) },
    {
      family: 'joint-linear',
      features: 'arm',
      weights: [
        [1, 2],
        [0, -1],
      ],
    },
    {
      family: 'table',
      keys: ['segment', 'device'],
      tables: [
        {
          rows: [
            { when: { segment: 'new', device: 'desk' }, arm: 2 },
            { when: { segment: 'never', device: 'desk' }, arm: 3 },
          ],
        },
        { rows: [{ when: { segment: 'lost', device: 'phone' }, arm: 5 }], default: 0 },
      ],
    },
    { family: 'table', period: '1h', tables: [{ arms: [0, 5, null, 2] }] },
    { family: 'choices', file: choicesFile(log.events) },
  ];
  const drawn = entries.map((entry) => ({ ...entry, epsilon: 0.2 }));
  const few = weights.slice(0, 2);
  const hot: object[] = [
    { family: 'linear', weights: few, temperature: 0.5 },
    {
      family: 'joint-linear',
      features: 'both',
      weights: few.map((row) => row.flat().slice(0, 14)),
      temperature: 2,
      epsilon: 0.1,
    },
  ];
  writeFileSync(file, JSON.stringify(drawing ? [...entries, ...drawn, ...hot] : entries));
  return file;
}

/** A result without what a run takes and is called. */
export function bare(result: EvaluationResult) {
  const { device, decisions, verified } = result.engine;
  return { ...result, engine: { device, decisions, verified } };
}

export async function expectSame(log: EventLog, options: Omit<EvaluateOptions, 'log'>, sizes: readonly number[]) {
  const whole = bare(await evaluate({ log, ...options }));
  for (const stretchEvents of sizes) {
    const streamed = bare(await evaluate({ log: streamOf(log), ...options, stretchEvents }));
    expect(streamed, `stretches of ${stretchEvents}`).toEqual(whole);
  }
  return whole;
}

export const L = 300;

export const LOGS: readonly (readonly [name: string, log: EventLog])[] = [
  ['clicks, contexts in a table', streamLog({ events: L })],
  [
    'payoffs of several steps, a context per event, times out of order',
    streamLog({ events: L, maxPayoff: 9, table: false, sorted: false }),
  ],
  ['one candidate set', streamLog({ events: L, pools: false })],
];
