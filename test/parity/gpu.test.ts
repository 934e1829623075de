import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDevice } from '#dist/gpu/device.js';
import { GpuBackend } from '#dist/run/gpu.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { CASES } from '../cases/cases.js';
import { referenceStatistics, statisticsDifference } from '../statistics.js';

let opened: OpenDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});

/** Default sizes; and sizes so small that every border is crossed and the doubtful list overflows. */
const PLANS = [
  { name: 'default sizes', plan: {} },
  { name: 'tiny chunks, tiles and lists', plan: { chunk: 300, tile: 3, segment: 100, doubtful: 2 } },
];

describe.each(PLANS)(`GPU engine on ${ADAPTER}, $name, against the definition`, ({ plan: sizes }) => {
  let backend: GpuBackend;
  beforeAll(() => {
    backend = new GpuBackend(opened.device, { plan: sizes, threads: 1 });
  });
  afterAll(() => backend.close());
  it.each(CASES)('$name', async ({ name, build }) => {
    // Thousands of tiles of three policies would only repeat what P = 9 shows.
    if (name === 'P = 4097' && sizes.tile !== undefined) sizes = { ...sizes, tile: 1000 };
    const { log, plan, batch } = build();
    const got = await backend.evaluate(log, plan, batch);
    expect(statisticsDifference(got, referenceStatistics(log, plan, batch))).toBeNull();
  });
});
