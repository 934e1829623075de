/** What of a log stays on the device, and that answers are those of the log at hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import type { PlanOverrides } from '#dist/engine/gpu/plan.js';
import { type BlockPlan, runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import type { EventLog } from '#dist/log/event-log.js';
import { ADAPTER, openTestDevice } from '../../adapter.js';
import { makeLog, randomLinear } from '../../cases/cases.js';
import { altered } from '../../gpu/altered-device.js';
import { columnsOf, referenceStatistics, statisticsDifference } from '../../statistics.js';

describe(`a log on ${ADAPTER}`, () => {
  let opened: OpenDevice;
  /** Buffers of contexts made so far. */
  let uploads = 0;
  let device: GPUDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
    device = altered(opened.device, {
      createBuffer: (wanted: GPUBufferDescriptor) => {
        if (wanted.label === 'contexts') uploads++;
        return opened.device.createBuffer(wanted);
      },
    });
  });
  const backends: GpuBackend[] = [];
  afterAll(async () => {
    for (const backend of backends) await backend.close();
  });

  function make(plan: PlanOverrides): GpuBackend {
    uploads = 0;
    const backend = new GpuBackend(device, { threads: 1, plan });
    backends.push(backend);
    return backend;
  }

  async function check(backend: GpuBackend, log: EventLog, plan: BlockPlan, seed: number, bounded = false) {
    const compiled = randomLinear(3, log, seed);
    const got = await backend.evaluate(log, plan, compiled, columnsOf(log), { bounded });
    expect(statisticsDifference(got, referenceStatistics(log, plan, compiled))).toBeNull();
  }

  const log = makeLog({ events: 900, arms: 4, dimension: 3 });
  const other = makeLog({ events: 900, arms: 4, dimension: 3, seed: 9 });
  const plan = runBlocks(900, 3);

  it('goes up once for all policies, with other columns of as many words too', async () => {
    const backend = make({ chunk: 300 });
    await check(backend, log, plan, 1);
    await check(backend, log, plan, 2);
    expect(uploads).toBe(3);
    const compiled = randomLinear(2, log, 3);
    const words = Uint32Array.from({ length: 900 }, (_, t) => t * 4_000_000);
    const columns = ['one', 'two'].map((name) => ({ name, reduce: 'sum' as const, words }));
    const got = await backend.evaluate(log, plan, compiled, columns);
    expect(statisticsDifference(got, referenceStatistics(log, plan, compiled, columns))).toBeNull();
    expect(uploads).toBe(3);
  });

  it('makes way for another log, and for another block plan', async () => {
    const backend = make({});
    await check(backend, log, plan, 1);
    await check(backend, other, plan, 1);
    await check(backend, log, plan, 1);
    await check(backend, log, runBlocks(900, 2), 1);
    expect(uploads).toBe(4);
  });

  it('goes through in chunks where it has no room to stay', async () => {
    const backend = make({ chunk: 300, resident: 10_000 });
    await check(backend, log, plan, 1);
    await check(backend, log, plan, 2);
    // The first chunk stays.
    expect(uploads).toBe(5);
  });

  it('does not stay where memory is bounded', async () => {
    const backend = make({});
    await check(backend, log, plan, 1, true);
    await check(backend, log, plan, 2, true);
    expect(uploads).toBe(2);
  });
});
