/** A device with what the engine keeps on it: compiled kernels, live buffers, and the first error that befell it. */

import { EngineError } from '../errors.js';
import { compileFault, type KernelConstants, type KernelDefinition, kernelText, packParams } from './kernel.js';
import { patiently } from './patiently.js';

const BUFFER = { mapRead: 0x1, copySrc: 0x4, copyDst: 0x8, uniform: 0x40, storage: 0x80 } as const;
const MAP_READ = 0x1;
const COMPUTE_STAGE = 0x4;

/** A compiled kernel. */
export interface Pipeline<Params extends Record<string, 'u32' | 'f32'>, Bindings extends string> {
  readonly kernel: KernelDefinition<Params, Bindings>;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/** What is compiled on a device serves every context on it: a pipeline holds no state. */
const compiled = new WeakMap<GPUDevice, Map<object, Map<string, Promise<unknown>>>>();

export class GpuContext {
  private readonly buffers = new Set<GPUBuffer>();
  private failure: EngineError | null = null;
  private readonly onError = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    const outOfMemory = error.constructor.name === 'GPUOutOfMemoryError';
    this.failure ??= new EngineError(
      outOfMemory ? `the GPU is out of memory: ${error.message}` : `the GPU reported an error: ${error.message}`,
    );
  };

  /** True where a processor emulates the GPU. */
  readonly software: boolean;

  constructor(readonly device: GPUDevice) {
    this.software = (device.adapterInfo as { isFallbackAdapter?: boolean } | undefined)?.isFallbackAdapter === true;
    device.addEventListener('uncapturederror', this.onError);
    void device.lost.then((info) => {
      if (info.reason !== 'destroyed') this.failure ??= new EngineError(`the GPU was lost: ${info.message}`);
      else this.failure ??= new EngineError('the GPU device was destroyed');
    });
  }

  /** @throws EngineError if the device was lost or reported an error since the last look. */
  check(): void {
    if (this.failure !== null) throw this.failure;
  }

  /** Compiles a kernel once per device and set of constants. @throws EngineError with line, column and source text. */
  async pipeline<Params extends Record<string, 'u32' | 'f32'>, Bindings extends string>(
    kernel: KernelDefinition<Params, Bindings>,
    constants: KernelConstants,
  ): Promise<Pipeline<Params, Bindings>> {
    const kernels = entry(compiled, this.device, () => new Map());
    const pipelines = entry(kernels, kernel, () => new Map());
    return entry(pipelines, JSON.stringify(constants), () => this.compile(kernel, constants)) as Promise<
      Pipeline<Params, Bindings>
    >;
  }

  private async compile<Params extends Record<string, 'u32' | 'f32'>, Bindings extends string>(
    kernel: KernelDefinition<Params, Bindings>,
    constants: KernelConstants,
  ): Promise<Pipeline<Params, Bindings>> {
    const { device } = this;
    const { code, offset } = kernelText(kernel, constants);
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label: kernel.source, code });
    // Kernels are compiled side by side, and scopes are a stack: nothing may come between.
    const scope = device.popErrorScope();
    const [{ messages }, invalid] = await Promise.all([module.getCompilationInfo(), scope]);
    if (messages.some((message) => message.type === 'error')) throw compileFault(kernel, code, offset, messages);
    if (invalid !== null) throw new EngineError(`shaders/${kernel.source} is refused: ${invalid.message}`);
    const names = Object.keys(kernel.bindings) as Bindings[];
    const layout = device.createBindGroupLayout({
      label: kernel.source,
      entries: [
        { binding: 0, visibility: COMPUTE_STAGE, buffer: { type: 'uniform' } },
        ...names.map((name, i) => ({
          binding: i + 1,
          visibility: COMPUTE_STAGE,
          buffer: { type: kernel.bindings[name].write ? ('storage' as const) : ('read-only-storage' as const) },
        })),
      ],
    });
    try {
      const pipeline = await device.createComputePipelineAsync({
        label: kernel.source,
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: 'main' },
      });
      return { kernel, pipeline, layout };
    } catch (error) {
      throw new EngineError(
        `shaders/${kernel.source} does not become a pipeline on this adapter: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** A storage buffer of at least `bytes` bytes. */
  storage(label: string, bytes: number): GPUBuffer {
    return this.create(label, bytes, BUFFER.storage | BUFFER.copySrc | BUFFER.copyDst);
  }

  /** A storage buffer holding `data`. */
  upload(label: string, data: Uint32Array | Float32Array): GPUBuffer {
    const buffer = this.storage(label, data.byteLength);
    this.write(buffer, data);
    return buffer;
  }

  /** Writes at `offset` bytes. */
  write(buffer: GPUBuffer, data: Uint32Array | Float32Array | ArrayBuffer, offset = 0): void {
    if (data.byteLength === 0) return;
    // Dawn's Node bindings crash on shared memory, so callers hand over plain buffers.
    if (data instanceof ArrayBuffer) this.device.queue.writeBuffer(buffer, offset, data);
    else this.device.queue.writeBuffer(buffer, offset, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  }

  /** A buffer that results are copied to and read from. */
  staging(label: string, bytes: number): GPUBuffer {
    return this.create(label, bytes, BUFFER.mapRead | BUFFER.copyDst);
  }

  uniform<Params extends Record<string, 'u32' | 'f32'>>(
    { kernel }: Pipeline<Params, string>,
    values: { readonly [Name in keyof Params]: number },
  ): GPUBuffer {
    const bytes = packParams(kernel, values);
    const buffer = this.create(`${kernel.source} params`, bytes.byteLength, BUFFER.uniform | BUFFER.copyDst);
    this.write(buffer, bytes);
    return buffer;
  }

  /** Records a compute pass of its own of x × y workgroups. */
  dispatch<Params extends Record<string, 'u32' | 'f32'>, Bindings extends string>(
    encoder: GPUCommandEncoder,
    pipeline: Pipeline<Params, Bindings>,
    uniform: GPUBuffer,
    buffers: Readonly<Record<Bindings, GPUBuffer>>,
    x: number,
    y: number,
  ): void {
    const pass = encoder.beginComputePass({ label: pipeline.kernel.source });
    this.record(pass, pipeline, uniform, buffers, x, y);
    pass.end();
  }

  /** Records x × y workgroups into a compute pass. */
  record<Params extends Record<string, 'u32' | 'f32'>, Bindings extends string>(
    pass: GPUComputePassEncoder,
    { pipeline, layout, kernel }: Pipeline<Params, Bindings>,
    uniform: GPUBuffer,
    buffers: Readonly<Record<Bindings, GPUBuffer>>,
    x: number,
    y: number,
  ): void {
    const names = Object.keys(kernel.bindings) as Bindings[];
    const storage = names.map((name, i) => ({ binding: i + 1, resource: { buffer: buffers[name] } }));
    const entries = [{ binding: 0, resource: { buffer: uniform } }, ...storage];
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.device.createBindGroup({ label: kernel.source, layout, entries }));
    pass.dispatchWorkgroups(x, y);
  }

  /** The words of a staging buffer. @throws EngineError if the device was lost meanwhile. */
  async read(buffer: GPUBuffer, bytes: number): Promise<Uint32Array> {
    return this.look(buffer, bytes, (words) => words.slice());
  }

  /**
   * Calls `use` with the words of a staging buffer where they lie, without a copy; they are gone when it returns.
   *
   * @throws EngineError if the device was lost meanwhile.
   */
  async look<Result>(buffer: GPUBuffer, bytes: number, use: (words: Uint32Array) => Result): Promise<Result> {
    try {
      const mapped = buffer.mapAsync(MAP_READ, 0, bytes);
      await (this.software ? patiently(mapped) : mapped);
    } catch (error) {
      // The reason for a lost device arrives in its own promise, one turn later.
      await Promise.resolve();
      this.check();
      throw new EngineError(`results could not be read from the GPU: ${messageOf(error)}`, { cause: error });
    }
    try {
      this.check();
      return use(new Uint32Array(buffer.getMappedRange(0, bytes)));
    } finally {
      buffer.unmap();
    }
  }

  private create(label: string, bytes: number, usage: number): GPUBuffer {
    const size = Math.max(16, Math.ceil(bytes / 4) * 4);
    const buffer = this.device.createBuffer({ label, size, usage });
    this.buffers.add(buffer);
    return buffer;
  }

  /** Destroys a buffer; dropped ones would pile up until they are collected. */
  free(...buffers: (GPUBuffer | null | undefined)[]): void {
    for (const buffer of buffers) {
      if (buffer === null || buffer === undefined) continue;
      buffer.destroy();
      this.buffers.delete(buffer);
    }
  }

  /** Destroys every buffer; the device itself is its owner's. */
  close(): void {
    this.free(...this.buffers);
    this.device.removeEventListener('uncapturederror', this.onError);
  }
}

/** The value of a key, made where there is none. */
function entry<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
