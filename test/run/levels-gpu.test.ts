/** Segments and a hold-out on the GPU are those on the CPU; all else about levels is levels.test.ts. */
import { expect } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/index.js';
import { ADAPTER } from '../adapter.js';
import { eachCase } from '../long.js';
import { bare, everyFamily, LOGS } from './evaluate-streams.js';

const [[, log]] = LOGS;
const ASKED: readonly { readonly name: string; readonly asked: Partial<EvaluateOptions> }[] = [
  { name: `segments on ${ADAPTER}`, asked: { by: ['segment', 'device'], blocks: { period: 3_600_000 } } },
  { name: `a hold-out on ${ADAPTER}`, asked: { selectOn: 0.5, blocks: 12, baseline: 'log' } },
];

eachCase(ASKED, async ({ asked }) => {
  const options = { log, policies: everyFamily(log), draws: 1000, blockStatistics: true, ...asked };
  const result = (own: Partial<EvaluateOptions>) =>
    evaluate({ ...options, ...own }).then((all) => ({ ...bare(all), engine: null }));
  expect(await result({ device: 'gpu', adapter: ADAPTER })).toEqual(await result({ device: 'cpu', threads: 1 }));
});
