import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { contextCells } from '#dist/log/cells.js';
import { requireUniform } from '#dist/log/checks/uniformity.js';
import { inspectLog } from '#dist/open/inspect.js';
import { context } from '../log/files.js';
import { sharedFile } from './reference.js';

interface Reference {
  meta: { K: number; D: number; n: number; context_columns: string[] };
  n_distinct_contexts: number;
  n_logged: Record<string, number[] | number>;
}

const reference = (name: string) => JSON.parse(readFileSync(sharedFile(`reference/${name}.json`), 'utf8')) as Reference;

describe('preset obd', () => {
  it('gives the reference context of the men, random policy', async () => {
    const { meta, n_distinct_contexts: distinct } = reference('own_linear_random_men');
    const log = await readLog([sharedFile('data/obd/random/men/men.csv')], { format: 'obd' });
    expect([log.events, log.arms.ids.length, log.contexts.dimension]).toEqual([meta.n, meta.K, meta.D]);
    expect(log.arms.ids).toEqual(Array.from({ length: meta.K }, (_, a) => String(a)));
    expect(log.contexts.columns.slice(0, -1)).toEqual(meta.context_columns.slice(0, -1));
    expect(log.contexts.columns.at(-1)).toBe('(intercept)');
    expect(contextCells(log).count).toBe(distinct);
    expect(log.contexts.rows).toBe(distinct);
    for (const t of [0, 1, 9999]) {
      expect(context(log, t).reduce((a, b) => a + b)).toBe(5);
      expect(context(log, t)[meta.D - 1]).toBe(1);
    }
    expect(Array.from(log.arm.slice(0, 2))).toEqual([14, 10]);
    expect(log.time?.[0]).toBe(Date.UTC(2019, 10, 24, 0, 3, 13) + 442.536);
    expect(log.propensity?.every((p) => p === 0.029411764705882353)).toBe(true);
    expect(requireUniform(log).description).toMatchObject({ basis: 'propensities', assumed: false });
  });

  it('keeps arms and levels for the rows of one position', async () => {
    let events = 0;
    for (const position of [1, 2, 3]) {
      const log = await readLog([sharedFile('data/obd/random/men/men.csv')], {
        format: 'obd',
        where: `position = ${position}`,
      });
      expect([log.arms.ids.length, log.contexts.dimension]).toEqual([34, 26]);
      const key = log.keys.get('position');
      expect(key?.code.every((code) => key.levels[code] === String(position))).toBe(true);
      events += log.events;
    }
    expect(events).toBe(10000);
  });

  it('finds the Thompson-sampling log not uniform', async () => {
    const { meta } = reference('own_linear_bts_men');
    const log = await readLog([sharedFile('data/obd/bts/men/men.csv.gz')], { format: 'obd' });
    expect([log.events, log.contexts.dimension]).toEqual([meta.n, meta.D]);
    expect(() => requireUniform(log)).toThrowError(/the logged propensities are not uniform/);
  });

  it('reads the directories whole: items as arms with features, affinities as versions of them', async () => {
    for (const [policy, distinctContexts] of [
      ['random', 230],
      ['bts', 238],
    ] as const) {
      const log = await readLog([sharedFile(`data/obd/${policy}/men`)], {});
      const { armFeatures } = log;
      expect([log.events, log.arms.ids.length, log.pools.count]).toEqual([10000, 34, 1]);
      expect(log.contexts.rows).toBe(distinctContexts);
      expect(armFeatures?.rows).toBe(34);
      expect(armFeatures?.columns[0]).toBe('item_feature_0');
      // A number and a category of each of the three others.
      for (let a = 0; a < 34; a++) {
        const row = armFeatures?.values.subarray(a * armFeatures.dimension + 1, (a + 1) * armFeatures.dimension);
        expect(row?.reduce((sum, value) => sum + value, 0)).toBe(3);
      }
    }
    const { armFeatures } = await readLog([sharedFile('data/obd/random/men')], { where: 'false' });
    expect(Array.from(armFeatures?.values.subarray(0, 1) ?? [])).toEqual([-0.6771831139635117]);
  });

  it('gives every event its affinities, as another reading of the file has them', async () => {
    const log = await readLog([sharedFile('data/obd/random/men')], { affinities: true });
    const [header, ...lines] = readFileSync(sharedFile('data/obd/random/men/men.csv'), 'utf8').trimEnd().split('\n');
    const first = header.split(',').indexOf('user-item_affinity_0');
    const { pools, armFeatures } = log;
    const distinct = new Set<string>();
    let different = 0;
    for (const [t, line] of lines.entries()) {
      const given = line
        .split(',')
        .slice(first, first + 34)
        .map(Number);
      distinct.add(given.join());
      const s = pools.pool?.[t] ?? 0;
      for (let a = 0; a < 34; a++) {
        const row = armFeatures?.row?.[pools.offsets[s] + a] ?? 0;
        const width = armFeatures?.dimension ?? 0;
        if (armFeatures?.values[(row + 1) * width - 1] !== given[a]) different++;
      }
    }
    expect([different, pools.count]).toEqual([0, distinct.size]);
    expect(requireUniform(log).description.basis).toBe('propensities');
  });

  it('is described by inspectLog as plain JSON', async () => {
    const inspection = inspectLog(await readLog([sharedFile('data/obd/random/men/men.csv')], { format: 'obd' }));
    expect(JSON.parse(JSON.stringify(inspection))).toEqual(inspection);
    expect(inspection).toMatchObject({
      format: 'obd',
      rows: 10000,
      events: 10000,
      period: { first: '2019-11-24T00:03:13.442Z', ascending: true },
      candidates: { distinctSets: 1, minSize: 34, medianSize: 34, maxSize: 34 },
      payoff: { low: 0, high: 1, range: 'declared', step: 1, min: 0, max: 1, total: 46, mean: 0.0046 },
      context: { dimension: 26, type: 'f32', distinctContexts: 230, distinctPairs: 230 },
      keys: [{ name: 'position', values: 3 }],
    });
    expect(inspection.expectedMatches).toBeCloseTo(10000 / 34, 9);
    expect(inspection.arms.reduce((sum, { events }) => sum + events, 0)).toBe(10000);
    expect(inspection.arms.reduce((sum, { payoff }) => sum + payoff, 0)).toBe(46);
  });
});
