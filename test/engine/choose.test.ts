import { beforeAll, describe, expect, it } from 'vitest';
import { EngineError, InputError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import { type OpenDevice, openDevice } from '#dist/gpu/device.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { altered } from '../gpu/altered-device.js';
import { uniformLog } from '../random-log.mjs';

const log = uniformLog({ events: 3000, arms: 6, dimension: 4, seed: 1 });
const weights = { data: randomLinearPolicies({ policies: 20, arms: 6, dimension: 4, seed: 2 }), shape: [20, 6, 4] };
const policies = [{ family: 'linear' as const, weights }];

let opened: OpenDevice;
let needed: Awaited<ReturnType<typeof evaluate>>;
beforeAll(async () => {
  opened = await openTestDevice();
  needed = await evaluate({ log, policies, device: 'cpu' });
});

describe(`a GPU that works (${ADAPTER})`, () => {
  it('is used, named, and settles little on the CPU', async () => {
    const result = await evaluate({ log, policies, gpuDevice: opened.device });
    expect(result.engine).toMatchObject({ device: 'gpu', fallback: null });
    expect(result.policies).toEqual(needed.policies);
    expect(result.engine.settledOnCpu).toBeLessThan(60);
  });

  it('is opened by name', async () => {
    const result = await evaluate({ log, policies, adapter: ADAPTER });
    expect(result.engine).toMatchObject({ device: 'gpu', adapter: opened.description.name });
    expect(result.policies).toEqual(needed.policies);
  });

  it('keeps a device of the caller alive', async () => {
    await evaluate({ log, policies, gpuDevice: opened.device });
    expect((await evaluate({ log, policies, gpuDevice: opened.device })).engine.fallback).toBeNull();
  });
});

/** Devices that fail in some way, and what the warning must say. */
const FAILURES: [string, (device: GPUDevice) => GPUDevice, RegExp][] = [
  [
    'a shader that does not compile',
    (device) =>
      altered(device, {
        createShaderModule: (d: GPUShaderModuleDescriptor) =>
          device.createShaderModule({ ...d, code: `${d.code}\nfn broken( {` }),
      }),
    /does not compile/,
  ],
  [
    'out of memory',
    (device) => {
      let tell: (event: unknown) => void = () => {};
      class GPUOutOfMemoryError extends Error {}
      return altered(device, {
        addEventListener: (_name: string, listener: (event: unknown) => void) => {
          tell = listener;
        },
        createBuffer: (descriptor: GPUBufferDescriptor) => {
          if (descriptor.label === 'contexts') tell({ error: new GPUOutOfMemoryError('no room for contexts') });
          return device.createBuffer(descriptor);
        },
      });
    },
    /out of memory: no room for contexts/,
  ],
];

describe.each(FAILURES)('a GPU with %s', (_, breakDevice, message) => {
  it('leaves the work to the CPU, with a warning', async () => {
    const result = await evaluate({ log, policies, gpuDevice: breakDevice(opened.device) });
    expect(result.engine).toMatchObject({ device: 'cpu', fallback: expect.stringMatching(message) });
    expect(result.warnings.join('\n')).toMatch(/the GPU was given up and the CPU finished: /);
    expect(result.policies).toEqual(needed.policies);
  });

  it('fails where the GPU was insisted on', async () => {
    const run = evaluate({ log, policies, gpuDevice: breakDevice(opened.device), device: 'gpu' });
    await expect(run).rejects.toThrow(EngineError);
    await expect(run).rejects.toThrow(message);
  });
});

describe('a GPU that is lost', () => {
  it('before the run: the CPU finishes', async () => {
    const own = await openTestDevice();
    own.device.destroy();
    await own.device.lost;
    const result = await evaluate({ log, policies, gpuDevice: own.device });
    expect(result.engine).toMatchObject({ device: 'cpu', fallback: expect.stringMatching(/destroyed|lost/) });
    expect(result.policies).toEqual(needed.policies);
  });

  it('in the middle of the run: the CPU finishes', async () => {
    const own = await openTestDevice();
    let submits = 0;
    const queue = new Proxy(own.device.queue, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (name === 'submit' && ++submits === 1) own.device.destroy();
          return value.apply(target, args);
        };
      },
    });
    const result = await evaluate({ log, policies, gpuDevice: altered(own.device, { queue }) });
    expect(submits).toBeGreaterThan(0);
    expect(result.engine.device).toBe('cpu');
    expect(result.policies).toEqual(needed.policies);
  });
});

describe('contradictions', () => {
  it('an adapter for the CPU', async () => {
    await expect(evaluate({ log, policies, device: 'cpu', adapter: 'llvmpipe' })).rejects.toThrow(InputError);
  });

  it('an adapter that is not there, whatever the device', async () => {
    for (const device of ['auto', 'gpu'] as const) {
      await expect(evaluate({ log, policies, device, adapter: 'no such' })).rejects.toThrow(/no adapter has that name/);
    }
  });

  it('a GPU insisted on where only software adapters are', async () => {
    if ((await openDevice()) !== null)
      return expect((await evaluate({ log, policies, device: 'gpu' })).engine.device).toBe('gpu');
    await expect(evaluate({ log, policies, device: 'gpu' })).rejects.toThrow(/there is no GPU here/);
    expect((await evaluate({ log, policies })).engine.device).toBe('cpu');
  });
});
