/** How much of joint-linear policies f32 decides. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import type { EventLog } from '#dist/log/event-log.js';
import { JOINT_FEATURES } from '#dist/log/joint-features.js';
import type { JointPolicies } from '#dist/policy/joint/cpu.js';
import { screenOf } from '#dist/policy/scored-families.js';
import { isWorthScreening } from '#dist/policy/screen.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { jointPolicies, makeJointLog } from '../cases/joint-cases.js';
import { columnsOf } from '../statistics.js';

describe(`screening on ${ADAPTER}`, () => {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  const backends: GpuBackend[] = [];
  afterAll(async () => {
    for (const backend of backends) await backend.close();
  });

  async function settled(world: EventLog, compiled: JointPolicies): Promise<number> {
    const backend = new GpuBackend(opened.device, { threads: 1 });
    backends.push(backend);
    await backend.evaluate(world, runBlocks(world.events), compiled, columnsOf(world));
    return backend.report.settledOnCpu;
  }

  it('decides nearly all in f32, versions or not', async () => {
    const shape = { events: 2000, arms: 12, dx: 5, dz: 4 };
    for (const world of [
      makeJointLog(shape),
      makeJointLog({ ...shape, pools: { count: 40, size: 6, runs: 50 }, versions: 5 }),
    ]) {
      for (const features of JOINT_FEATURES)
        expect(await settled(world, jointPolicies(20, world, features))).toBeLessThan(2000 * 20 * 0.01);
    }
  });

  it('leaves decisions within the bound to f64', async () => {
    const near = makeJointLog({ events: 500, arms: 6, dx: 3, dz: 2, z: (draw) => 1 + draw() * 1e-12 });
    expect(await settled(near, jointPolicies(4, near, 'both'))).toBe(500 * 4);
  });

  it('is left out where feature rows are shown once each', async () => {
    const world = makeJointLog({
      events: 400,
      arms: 9,
      dx: 4,
      dz: 3,
      pools: { count: 400, size: 6, runs: 1 },
      versions: 400,
    });
    const compiled = jointPolicies(3, world, 'both');
    expect(world.armFeatures?.rows).toBe(2400 - repeats(world));
    expect(isWorthScreening(screenOf(compiled, world))).toBe(false);
    expect(await settled(world, compiled)).toBe(400 * 3);
  });
});

/** Candidates shown in a version that an earlier event showed. */
function repeats({ pools, armFeatures }: EventLog): number {
  return pools.arms.length - new Set(armFeatures?.row ?? []).size;
}
