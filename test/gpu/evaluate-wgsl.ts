/** Evaluates WGSL expressions over rows of operands: how the shader libraries are tested without kernels of their own. */
import type { GpuContext } from '#dist/gpu/context.js';

/** Words per row: three pairs. */
export const ROW = 6;

/**
 * Values (two f32 each) of every expression on every row.
 *
 * @param library WGSL text of the functions; `params.zero` is declared, and 0.
 * @param expressions of type vec2f in the pairs `a`, `b` and `c` of a row, or in `words`, the two words of `a`.
 */
export async function evaluateWgsl<Name extends string>(
  context: GpuContext,
  library: string,
  expressions: Readonly<Record<Name, string>>,
  rows: Uint32Array,
): Promise<Record<Name, Float32Array>> {
  const { device } = context;
  const names = Object.keys(expressions) as Name[];
  const count = rows.length / ROW;
  const code = `struct Params { zero: u32, count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<vec2f>;
${library}
fn pairAt(at: u32) -> vec2f { return bitcast<vec2f>(vec2u(rows[at], rows[at + 1u])); }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= params.count) { return; }
  let words = vec2u(rows[i * 6u], rows[i * 6u + 1u]);
  let a = pairAt(i * 6u);
  let b = pairAt(i * 6u + 2u);
  let c = pairAt(i * 6u + 4u);
${names.map((name, k) => `  results[${k}u * params.count + i] = ${expressions[name]};`).join('\n')}
}`;
  const module = device.createShaderModule({ code });
  const { messages } = await module.getCompilationInfo();
  const fault = messages.find((message) => message.type === 'error');
  if (fault !== undefined) throw new Error(`${fault.message}\n    ${code.split('\n')[fault.lineNum - 1]}`);
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });

  const bytes = names.length * count * 8;
  const uniform = device.createBuffer({ size: 16, usage: 0x40 | 0x8 });
  context.write(uniform, Uint32Array.from([0, count]));
  const [input, output, staging] = [
    context.upload('rows', rows),
    context.storage('results', bytes),
    context.staging('copy', bytes),
  ];
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [uniform, input, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  encoder.copyBufferToBuffer(output, 0, staging, 0, bytes);
  device.queue.submit([encoder.finish()]);
  const values = new Float32Array((await context.read(staging, bytes)).buffer);
  context.free(input, output, staging);
  uniform.destroy();
  return Object.fromEntries(
    names.map((name, k) => [name, values.subarray(k * count * 2, (k + 1) * count * 2)]),
  ) as Record<Name, Float32Array>;
}
