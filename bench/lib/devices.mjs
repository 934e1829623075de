/** Opening adapters for benchmarks, and timing the kernels of a device from outside the engine. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDevice } from '../../dist/gpu/device.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/**
 * The adapter to measure: the one named; else the first that is hardware, else the first software one, else SwiftShader
 * from npm. Asked of another process, because SwiftShader must be prepared before this one loads Dawn.
 */
export function adapterName(wanted) {
  if (wanted !== undefined && wanted !== 'auto') return wanted;
  try {
    const text = execFileSync(process.execPath, [MAIN, 'devices', '--format', 'json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const found = JSON.parse(text);
    const adapters = Array.isArray(found) ? found : found.adapters;
    return (adapters.find(({ type }) => type === 'gpu') ?? adapters[0])?.name ?? 'swiftshader';
  } catch {
    return 'swiftshader';
  }
}

/** Opens an adapter by name. @throws Error where there is none. */
export async function openAdapter(name) {
  const opened = await openDevice(name);
  if (opened === null) throw new Error(`no adapter called ${name}`);
  return opened;
}

// Dawn's objects die with what `create` returned.
const instances = [];

/**
 * A second device on the same adapter with the same features and limits, that also has timestamps, unquantized. `null`
 * where the adapter cannot do that.
 */
async function openWithTimestamps({ device, description }) {
  const { create } = await import('webgpu');
  const gpu = create([
    `backend=${description.backend}`,
    `adapter=${description.name}`,
    'enable-dawn-features=allow_unsafe_apis',
    'disable-dawn-features=timestamp_quantization',
  ]);
  instances.push(gpu);
  const adapter = await gpu.requestAdapter();
  if (adapter === null || !adapter.features.has('timestamp-query')) return null;
  const features = [...device.features].filter(
    (name) => adapter.features.has(name) && name !== 'core-features-and-limits',
  );
  const requiredLimits = {};
  for (const name in device.limits) {
    if (typeof device.limits[name] === 'number' && typeof adapter.limits[name] === 'number') {
      requiredLimits[name] = Math.min(device.limits[name], adapter.limits[name]);
    }
  }
  return adapter.requestDevice({ requiredFeatures: [...new Set([...features, 'timestamp-query'])], requiredLimits });
}

const QUERIES = 4096;
const USAGE = { mapRead: 0x1, copySrc: 0x4, copyDst: 0x8, queryResolve: 0x200 };

/**
 * A device whose kernels are timed while an engine uses it unaware: every compute pass gets a pair of timestamps, or,
 * where there are none, the time from submission to completion stands for all kernels.
 *
 * @returns `device`, `method`, and `collect()`: milliseconds per kernel since the last call, with what was missed.
 */
export async function openTimed(opened) {
  const device = await openWithTimestamps(opened).catch(() => null);
  return device === null ? timeBySubmission(opened.device) : timeByTimestamps(device);
}

function timeByTimestamps(device) {
  const set = device.createQuerySet({ type: 'timestamp', count: QUERIES });
  const resolved = device.createBuffer({ size: QUERIES * 8, usage: USAGE.queryResolve | USAGE.copySrc });
  const staging = device.createBuffer({ size: QUERIES * 8, usage: USAGE.mapRead | USAGE.copyDst });
  let labels = [];
  let missed = 0;
  const create = device.createCommandEncoder.bind(device);
  device.createCommandEncoder = (descriptor) => {
    const encoder = create(descriptor ?? {});
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (passDescriptor) => {
      const query = labels.length * 2;
      if (query + 2 > QUERIES) {
        missed++;
        return begin(passDescriptor ?? {});
      }
      const timestampWrites = { querySet: set, beginningOfPassWriteIndex: query, endOfPassWriteIndex: query + 1 };
      const pass = begin({ ...passDescriptor, timestampWrites });
      const at = labels.push('') - 1;
      const current = labels;
      const setPipeline = pass.setPipeline.bind(pass);
      pass.setPipeline = (pipeline) => {
        current[at] = pipeline.label || 'kernel';
        setPipeline(pipeline);
      };
      return pass;
    };
    return encoder;
  };
  const collect = async () => {
    const count = labels.length;
    const milliseconds = {};
    if (count > 0) {
      const encoder = create({});
      encoder.resolveQuerySet(set, 0, count * 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, count * 16);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(0x1, 0, count * 16);
      const times = new BigUint64Array(staging.getMappedRange(0, count * 16).slice(0));
      staging.unmap();
      labels.forEach((label, i) => {
        milliseconds[label] = (milliseconds[label] ?? 0) + Number(times[i * 2 + 1] - times[i * 2]) / 1e6;
      });
    }
    const result = { milliseconds, passes: count, missed };
    labels = [];
    missed = 0;
    return result;
  };
  return { device, method: 'timestamps', collect };
}

function timeBySubmission(device) {
  let spans = [];
  let pending = [];
  const submit = device.queue.submit.bind(device.queue);
  device.queue.submit = (buffers) => {
    const from = performance.now();
    submit(buffers);
    pending.push(device.queue.onSubmittedWorkDone().then(() => spans.push([from, performance.now()])));
  };
  const collect = async () => {
    await Promise.all(pending);
    // Submissions overlap: their union is when the device was busy.
    let busy = 0;
    let end = 0;
    for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
      busy += Math.max(0, to - Math.max(from, end));
      end = Math.max(end, to);
    }
    const result = { milliseconds: { all: busy }, passes: spans.length, missed: 0 };
    spans = [];
    pending = [];
    return result;
  };
  return { device, method: 'submission to completion', collect };
}
