/** `--scale` on logs whose features have names in each event: VowpalWabbit text and dsjson, where features may be missing. */
import { expect, it } from 'vitest';
import { type ReplayOptions, replay } from '#dist/index.js';
import type { ReplayResult } from '#dist/report/replay-result.js';
import { generator } from '../cases/draws.js';
import { hindcast } from '../cli/in-process.js';
import { write } from '../log/files.js';

const EVENTS = 300;
const draw = generator(3);

/** Features of an event by name; `y` is missing, which is 0, at every third. */
interface Features {
  readonly x: number;
  readonly y?: number;
}
const EVENT: readonly { u: Features; arm: number; cost: number }[] = Array.from({ length: EVENTS }, (_, t) => {
  const u = { x: 1000 * draw(), ...(t % 3 !== 0 && { y: draw() - 2 }) };
  return { u, arm: Math.floor(2 * draw()), cost: draw() < 0.3 + 0.4 * (u.x > 500 ? 1 : 0) ? 1 : 0 };
});
/** Of each action. */
const Z = [40, 10];

type Scale = (column: 'x' | 'y' | 'z', value: number) => number;
const asItIs: Scale = (_, value) => value;

const FORMATS = {
  'vw-cb': (scale: Scale, all: boolean) =>
    lines(({ u, arm, cost }) => {
      const y = u.y === undefined && !all ? '' : ` y:${scale('y', u.y ?? 0)}`;
      return `${arm + 1}:${cost}:0.5 |u x:${scale('x', u.x)}${y}`;
    }),
  'vw-adf': (scale: Scale, all: boolean) =>
    lines(({ u, arm, cost }) => {
      const y = u.y === undefined && !all ? '' : ` y:${scale('y', u.y ?? 0)}`;
      const actions = Z.map((z, a) => `${a === arm ? `0:${cost}:0.5 ` : ''}|v z:${scale('z', z)}`);
      return [`shared |u x:${scale('x', u.x)}${y}`, ...actions, ''].join('\n');
    }),
  dsjson: (scale: Scale, all: boolean) =>
    lines(({ u, arm, cost }) => {
      const y = u.y === undefined && !all ? {} : { y: scale('y', u.y ?? 0) };
      return JSON.stringify({
        ...{ _label_cost: cost, _label_probability: 0.5, _label_Action: arm + 1, _labelIndex: arm },
        ...{ a: [arm + 1, 2 - arm], p: [0.5, 0.5] },
        c: { u: { x: scale('x', u.x), ...y }, _multi: Z.map((z) => ({ v: { z: scale('z', z) } })) },
      });
    }),
};

function lines(line: (event: (typeof EVENT)[number]) => string): string {
  return EVENT.map(line).join('\n');
}

const learnersOf = (format: string) => [
  { algorithm: 'linucb' as const },
  { algorithm: 'glm-ucb' as const, rho: 0.3 },
  ...(format === 'vw-cb' ? [] : [{ algorithm: 'linucb-hybrid' as const }]),
];

function play(text: string, format: keyof typeof FORMATS, options: ReplayOptions): Promise<ReplayResult> {
  const log = { files: [write(`scale-${format}.txt`, text)], format, payoffFromCost: { scale: -1, offset: 1 } };
  const how = { device: 'cpu', threads: 1, assumeUniform: true, replicas: true } as const;
  return replay(log, learnersOf(format), { ...how, ...options });
}

const retained = ({ learners }: ReplayResult) => learners.map(({ replicas }) => replicas?.[0].retained);

for (const format of Object.keys(FORMATS) as (keyof typeof FORMATS)[]) {
  it.each(['standard', 'max'] as const)(`${format}: %s, as a log that was written so`, async (scale) => {
    const plain = FORMATS[format](asItIs, false);
    const scaled = await play(plain, format, { scale });
    const columns = [...(scaled.scale?.contexts ?? []), ...(scaled.scale?.armFeatures ?? [])];
    const of = (name: string) =>
      columns.find(({ column }) => column.endsWith(name)) ?? { offset: Number.NaN, divisor: 0 };
    // What is missing counts as 0.
    for (const name of ['x', 'y'] as const) {
      const values = EVENT.map(({ u }) => u[name] ?? 0);
      const mean = values.reduce((a, b) => a + b) / EVENTS;
      const { offset, divisor } = of(name);
      expect(offset).toBeCloseTo(scale === 'max' ? 0 : mean, 8);
      expect(divisor).toBeCloseTo(
        scale === 'max'
          ? Math.max(...values.map(Math.abs))
          : Math.sqrt(values.reduce((s, v) => s + (v - mean) ** 2, 0) / EVENTS),
        8,
      );
    }
    if (format !== 'vw-cb')
      expect(of('z')).toMatchObject(scale === 'max' ? { offset: 0, divisor: 40 } : { offset: 25, divisor: 15 });
    const byHand: Scale = (column, value) => (value - of(column).offset) / of(column).divisor;
    const needed = retained(await play(FORMATS[format](byHand, true), format, {}));
    expect(retained(scaled)).toEqual(needed);
    expect(retained(await play(plain, format, { scale, stretchEvents: 70 }))).toEqual(needed);
    // Other sizes, other choices: else nothing would be shown.
    expect(retained(await play(plain, format, {}))).not.toEqual(needed);
  });
}

it('from the command line', async () => {
  const log = write('scale-cli.json', FORMATS.dsjson(asItIs, false));
  const learners = write('scale-learners.json', JSON.stringify([{ algorithm: 'linucb' }]));
  const { status, stdout } = await hindcast([
    ...[
      'replay',
      log,
      '--learners',
      learners,
      '--scale',
      'max',
      '--format',
      'json',
      '--device',
      'cpu',
      '--assume-uniform',
    ],
  ]);
  expect(status).toBe(0);
  expect((JSON.parse(stdout) as ReplayResult).scale).toMatchObject({ method: 'max', armFeatures: [{ divisor: 40 }] });
});
