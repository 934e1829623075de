import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchKernel } from '#dist/engine/gpu/kernels.js';
import { EngineError } from '#dist/errors.js';
import { GpuContext } from '#dist/gpu/context.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { listAdapters, openDevice } from '#dist/gpu/device.js';
import { WGSL } from '#dist/gpu/wgsl.generated.js';
import { scaleToIndex, threefry2x32 } from '#dist/random/threefry.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { altered } from './altered-device.js';

let opened: OpenDevice;
let context: GpuContext;
beforeAll(async () => {
  opened = await openTestDevice();
  context = new GpuContext(opened.device);
});
afterAll(() => context.close());

describe(`device on ${ADAPTER}`, () => {
  it('is described, as software unless it is a GPU', async () => {
    expect(opened.description.name.length).toBeGreaterThan(0);
    if (/swiftshader|llvmpipe/.test(ADAPTER))
      expect(opened.description).toMatchObject({ type: 'software', auto: false });
    expect((await listAdapters()).map((adapter) => adapter.name)).toContain(opened.description.name);
  });

  it('is never software when no name is given', async () => {
    const any = await openDevice();
    if (any !== null) expect(any.description.type).toBe('gpu');
  });

  it('refuses a name that no adapter has, listing those there are', async () => {
    await expect(openDevice('no such adapter')).rejects.toThrow(
      /no adapter has that name\n.*no such adapter\n.*part of one of: /,
    );
  });

  it('writes, copies and reads words', async () => {
    const data = Uint32Array.from([1, 0xffffffff, 0x80000000, 42]);
    const buffer = context.upload('data', data);
    const staging = context.staging('copy', 16);
    const encoder = opened.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, 16);
    opened.device.queue.submit([encoder.finish()]);
    expect([...(await context.read(staging, 16))]).toEqual([...data]);
    context.free(buffer, staging);
  });

  it('compiles a kernel once per set of constants', async () => {
    const constants = { FOLDED: false, COLUMNS: 1, MAXIMA: 0 };
    const first = await context.pipeline(matchKernel, constants);
    expect(await context.pipeline(matchKernel, { ...constants })).toBe(first);
    expect(await context.pipeline(matchKernel, { ...constants, COLUMNS: 2 })).not.toBe(first);
  });

  it('reports a shader that does not compile by file, line, column and text', async () => {
    const broken = new GpuContext(
      altered(opened.device, {
        createShaderModule: (descriptor: GPUShaderModuleDescriptor) =>
          opened.device.createShaderModule({
            ...descriptor,
            code: descriptor.code.replace('const LANES = 64u;', 'const LANES = oops;'),
          }),
      }),
    );
    const compile = broken.pipeline(matchKernel, { FOLDED: false, COLUMNS: 1, MAXIMA: 0 });
    await expect(compile).rejects.toThrow(EngineError);
    await expect(compile).rejects.toThrow(/shaders\/match\.wgsl:\d+:\d+: .*oops.*/);
    broken.close();
  });
});

describe(`Threefry in WGSL on ${ADAPTER}`, () => {
  /** Runs threefry2x32 and scaleToIndex of the WGSL library on quadruples (k0, k1, c0, c1) with n = c1 | 1. */
  async function run(input: Uint32Array): Promise<Uint32Array> {
    const { device } = opened;
    const count = input.length / 4;
    const code = `@group(0) @binding(0) var<storage, read> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
${WGSL['lib/threefry.wgsl']}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ${count}u) { return; }
  let v = input[id.x];
  let r = threefry2x32(v.xy, v.zw);
  output[id.x] = vec4u(r, scaleToIndex(r.x, v.w | 1u), 0u);
}`;
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
    });
    const [from, to] = [context.upload('in', input), context.storage('out', count * 16)];
    const staging = context.staging('copy', count * 16);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [from, to].map((buffer, binding) => ({ binding, resource: { buffer } })),
      }),
    );
    pass.dispatchWorkgroups(Math.ceil(count / 64));
    pass.end();
    encoder.copyBufferToBuffer(to, 0, staging, 0, count * 16);
    device.queue.submit([encoder.finish()]);
    const words = await context.read(staging, count * 16);
    context.free(from, to, staging);
    return words;
  }

  it('gives the published vectors', async () => {
    const ones = 0xffffffff;
    const words = await run(
      Uint32Array.from([0, 0, 0, 0, ones, ones, ones, ones, 0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3]),
    );
    expect([words[0], words[1]]).toEqual([0x6b200159, 0x99ba4efe]);
    expect([words[4], words[5]]).toEqual([0x1cb996fc, 0xbb002be7]);
    expect([words[8], words[9]]).toEqual([0xc4923a9c, 0x483df7a0]);
  });

  it('draws what the TypeScript one draws, index scaling included', async () => {
    const input = new Uint32Array(4 * 5000);
    const words = new Uint32Array(2);
    for (let i = 0; i < input.length; i += 2) {
      threefry2x32(9, 9, i, 0, words);
      input.set(words, i);
    }
    const got = await run(input);
    for (let i = 0; i < 5000; i++) {
      const [k0, k1, c0, c1] = input.subarray(i * 4, i * 4 + 4);
      threefry2x32(k0, k1, c0, c1, words);
      expect([...got.subarray(i * 4, i * 4 + 3)]).toEqual([words[0], words[1], scaleToIndex(words[0], (c1 | 1) >>> 0)]);
    }
  });
});
