/** A payoff that is always the same is told of, in results and by inspect. */

import { describe, expect, test } from 'vitest';
import { evaluate, inspect, logFromColumns, random, replay } from '#dist/index.js';
import { write } from '../files.js';

const EVENTS = 60;
const rows = (payoff: (t: number) => number | string, events = EVENTS): string =>
  Array.from({ length: events }, (_, t) => `${'ab'[(t * 7 + (t >> 2)) % 2]},${payoff(t)},${(t * 5) % 7}`).join('\n');

const said = async (payoff: (t: number) => number | string, events = EVENTS): Promise<string[][]> => {
  const files = [write('constant.csv', `arm,p,x\n${rows(payoff, events)}\n`)];
  const log = { files, mapping: { arm: 'arm', payoff: 'p', context: ['x'] } };
  const options = { device: 'cpu' as const, assumeUniform: true };
  const policies = [{ family: 'constant' as const }];
  const results = [
    await evaluate({ log, policies, ...options }),
    await evaluate({ log, policies, ...options, stretchEvents: 7 }),
    await replay(log, [random()], options),
    await inspect(log),
  ];
  return results.map(({ warnings }) => warnings.filter((warning) => /is it really what was earned/.test(warning)));
};

describe('a payoff that is the same at every event', () => {
  test('is told of with its column', async () => {
    const warning =
      'the payoff (column "p") is 0.333333 at each of 60 events: is it really what was earned? By this payoff no policy differs from another';
    expect(await said(() => 1 / 3)).toEqual(Array(4).fill([warning]));
  });

  test('is not where one event differs, the last, or where nothing was earned, or few events say so', async () => {
    const none = Array(4).fill([]);
    expect(await said((t) => (t === EVENTS - 1 ? 2 : 1))).toEqual(none);
    expect(await said(() => 0)).toEqual(none);
    expect(await said(() => 1, 40)).toEqual(none);
  });

  test('has no column in a log of arrays', async () => {
    const arm = Array.from({ length: EVENTS }, (_, t) => 'ab'[t % 2]);
    const { warnings } = await inspect(logFromColumns({ arm, payoff: arm.map(() => 2.5) }));
    expect(warnings).toContainEqual(expect.stringMatching(/^the payoff is 2\.5 at each of 60 events/));
  });
});
