import { expect, it } from 'vitest';
import { GpuContext } from '#dist/gpu/context.js';
import { defineKernel } from '#dist/gpu/kernel.js';
import { openTestDevice } from '../adapter.js';
import { brokenGuards } from './guards.js';

/** Writes as many words as `params.count` says. */
const KERNEL = `@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.count) { output[id.x] = id.x; }
}`;

it.each([
  ['within', 4, true, []],
  ['beyond', 5, true, ['small']],
  ['beyond, while it is in use', 5, false, ['small']],
] as const)('a kernel that writes %s the end of a buffer', async (_, count, freed, broken) => {
  const { device } = await openTestDevice();
  const context = new GpuContext(device);
  const kernel = defineKernel({
    source: 'policy/uniform.wgsl',
    params: { count: 'u32' },
    bindings: { output: { type: 'array<u32>', write: true } },
  });
  const module = device.createShaderModule({
    code: `struct Params { count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
${KERNEL}`,
  });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const compiled = { kernel, pipeline, layout: pipeline.getBindGroupLayout(0) };
  const [small, neighbour] = [context.storage('small', 16), context.storage('neighbour', 16)];
  const encoder = device.createCommandEncoder();
  context.dispatch(encoder, compiled, context.uniform(compiled, { count }), { output: small }, 1, 1);
  device.queue.submit([encoder.finish()]);
  if (freed) context.free(small, neighbour);
  expect(await brokenGuards()).toEqual(broken);
  context.close();
  device.destroy();
});
