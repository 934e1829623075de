/** Replay where a GPU works, fails, is too small or cannot be trusted; learners without a kernel. */
import { beforeAll, describe, expect, it } from 'vitest';
import { GpuReplayBackend } from '#dist/engine/learner-gpu/backend.js';
import { EngineError, InputError } from '#dist/errors.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { exp3, linucb, random, semp, ucb1 } from '#dist/learner/set/entries.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { replayLog } from '../cases/replay-cases.js';
import { altered } from '../gpu/altered-device.js';
import { LONG } from '../long.js';
import { jobOf } from './replay-jobs.js';

const log = replayLog({ events: 200 });
const learners = [random(), ucb1()];
const options: ReplayOptions = { repeats: 3, subsample: 0.7, replicas: true };

let opened: OpenDevice;
let needed: Awaited<ReturnType<typeof replay>>;
beforeAll(async () => {
  opened = await openTestDevice();
  needed = await replay(log, learners, { ...options, device: 'cpu' });
});

describe(`a GPU that works (${ADAPTER})`, () => {
  it('is used, named, spot-checked, and says how its lanes were used', async () => {
    const result = await replay(log, learners, { ...options, adapter: ADAPTER });
    expect(result.learners).toEqual(needed.learners);
    expect(result.engine).toMatchObject({
      device: 'gpu',
      adapter: opened.description.name,
      fallback: null,
      verified: { replicas: 3, passed: true, differing: 0, every: false },
    });
    expect(result.engine.lanes?.events).toBeGreaterThan(6 * 200 * 0.6);
    expect(result.engine.lanes?.slots).toBeGreaterThanOrEqual(result.engine.lanes?.events ?? 0);
  });

  it('proves every decision on request', LONG, async () => {
    const { engine } = await replay(log, learners, { ...options, gpuDevice: opened.device, verify: true });
    expect(engine.verified).toMatchObject({ replicas: 6, passed: true, every: true });
  });

  it('reports progress up to the whole work, and stops when told to', async () => {
    let last = { phase: '', done: 0, total: 0 as number | null };
    await replay(log, learners, { ...options, gpuDevice: opened.device, verify: false, onProgress: (p) => (last = p) });
    expect(last).toEqual({ phase: 'replay', done: 1200, total: 1200 });
    const stopped = replay(log, learners, { gpuDevice: opened.device, signal: AbortSignal.abort(new Error('enough')) });
    await expect(stopped).rejects.toThrow('enough');
    // The device is as good as before.
    expect((await replay(log, learners, { ...options, gpuDevice: opened.device })).learners).toEqual(needed.learners);
  });

  it('leaves learners without a kernel to the CPU beside it, and says so', async () => {
    const mixed = [exp3(), ucb1(), { name: 'first', create: () => ({ choose: () => 0, update: () => {} }) }];
    const result = await replay(log, mixed, { ...options, gpuDevice: opened.device });
    expect(result.engine.onCpu).toEqual(['exp3', 'first']);
    expect(result.warnings.join('\n')).toMatch(/replayed by the CPU engine.*: exp3, first/);
    expect(result.learners).toEqual((await replay(log, mixed, { ...options, device: 'cpu' })).learners);
  });

  it('is an error where nothing could run on it and it was insisted on; else it is not opened', async () => {
    await expect(replay(log, [exp3()], { device: 'gpu', adapter: ADAPTER })).rejects.toThrow(
      /none of these learners has a GPU kernel: exp3[\s\S]*needed: one of random, [\s\S]*--device cpu/,
    );
    expect((await replay(log, [exp3()], { adapter: ADAPTER })).engine).toMatchObject({ device: 'cpu', fallback: null });
    await expect(replay(log, learners, { device: 'cpu', adapter: ADAPTER })).rejects.toThrow(InputError);
  });
});

/** Devices that fail in some way, and what the warning must say. */
const FAILURES: [string, (device: GPUDevice) => GPUDevice, RegExp][] = [
  [
    'too little room for one replica',
    (device) => altered(device, { limits: { ...limitsOf(device), maxStorageBufferBindingSize: 60 } }),
    /the state of ucb1 does not fit this device[\s\S]*got: {4}64 bytes of state[\s\S]*at most 60[\s\S]*--device cpu/,
  ],
  [
    'sums that are not rounded as f32 are',
    (device) =>
      altered(device, {
        createShaderModule: (d: GPUShaderModuleDescriptor) =>
          device.createShaderModule({
            ...d,
            code: d.code.replace(
              /fn pairSum\(a: f32, b: f32\) -> vec2f \{/,
              '$& if (a != b) { return vec2f(a + b, 0.0); }',
            ),
          }),
      }),
    /cannot rely on[\s\S]*--device cpu/,
  ],
  [
    'a shader that does not compile',
    (device) =>
      altered(device, {
        createShaderModule: (d: GPUShaderModuleDescriptor) =>
          device.createShaderModule({
            ...d,
            code: d.label?.startsWith('learner/means') ? `${d.code}\nfn broken( {` : d.code,
          }),
      }),
    /does not compile/,
  ],
];

function limitsOf({ limits }: GPUDevice): Record<string, number> {
  const copy: Record<string, number> = {};
  for (const name in limits) copy[name] = limits[name as 'maxBufferSize'];
  return copy;
}

describe.each(FAILURES)('a GPU with %s', (_, breakDevice, message) => {
  const broken = [ucb1()];

  it('leaves the work to the CPU, with a warning', async () => {
    const result = await replay(log, broken, { ...options, gpuDevice: breakDevice(opened.device) });
    expect(result.engine).toMatchObject({ device: 'cpu', fallback: expect.stringMatching(message) });
    expect(result.warnings.join('\n')).toMatch(/the GPU was given up and the CPU finished: /);
    expect(result.learners).toEqual((await replay(log, broken, { ...options, device: 'cpu' })).learners);
  });

  it('fails where the GPU was insisted on', async () => {
    const run = replay(log, broken, { ...options, gpuDevice: breakDevice(opened.device), device: 'gpu' });
    await expect(run).rejects.toThrow(EngineError);
    await expect(run).rejects.toThrow(message);
  });
});

it('leaves no buffer behind, whether a run ends or is stopped', async () => {
  const live = new Set<GPUBuffer>();
  const device = altered(opened.device, {
    createBuffer: (descriptor: GPUBufferDescriptor) => {
      const buffer = opened.device.createBuffer(descriptor);
      live.add(buffer);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        live.delete(buffer);
        return destroy();
      };
      return buffer;
    },
  });
  const gpu = new GpuReplayBackend(device, { sizes: { chunk: 60, windows: 2 } });
  const job = await jobOf(log, [linucb(), semp({ segment: 'segment' })], { repeats: 2, subsample: 0.5 });
  await gpu.replay(job);
  expect([...live].map(({ label }) => label)).toEqual([]);
  await expect(gpu.replay(job, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect([...live].map(({ label }) => label)).toEqual([]);
  await gpu.close();
});
