import { afterAll, beforeAll, describe, expect } from 'vitest';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import type { PlanOverrides } from '#dist/engine/gpu/plan.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { CASES } from '../cases/cases.js';
import { SUMMANDS, withReference } from '../cases/reference.js';
import { eachCase, LONG } from '../long.js';
import { statisticsDifference } from '../statistics.js';

let opened: OpenDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});

/** Default sizes; and sizes so small that every border is crossed and the doubtful list overflows. */
const PLANS = [
  { name: 'default sizes', plan: {} },
  { name: 'tiny chunks, tiles and lists', plan: { chunk: 300, tile: 3, segment: 100, doubtful: 2 } },
];

describe.each(PLANS)(`GPU engine on ${ADAPTER}, $name, against the definition`, ({ plan }) => {
  const make = (sizes: PlanOverrides) => new GpuBackend(opened.device, { plan: sizes, threads: 1 });
  let backend: GpuBackend;
  // Thousands of tiles of three policies would only repeat what P = 9 shows.
  let wide: GpuBackend;
  beforeAll(() => {
    backend = make(plan);
    wide = make('tile' in plan ? { ...plan, tile: 1000 } : plan);
  });
  afterAll(() => Promise.all([backend.close(), wide.close()]));
  for (const [i, kind] of SUMMANDS.entries()) {
    // Each plan with one kind of summands in every run, and each kind with one plan.
    describe(kind.name, 'tile' in plan === (i === 1) ? {} : LONG, () => {
      eachCase(CASES, async (one) => {
        const { log, plan, compiled, summands, needed } = withReference(one, kind);
        const got = await (one.name === 'P = 4097' ? wide : backend).evaluate(log, plan, compiled, summands);
        expect(statisticsDifference(got, needed)).toBeNull();
      });
    });
  }
});
