/** What is known of an adapter of Dawn's. */

/** What `hindcast devices` shows of an adapter. */
export interface AdapterDescription {
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly backend: string;
  readonly type: 'gpu' | 'software';
  readonly driver: string;
  readonly subgroups: readonly [number, number] | null;
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly f16: boolean;
  /** Whether `--device auto` would use it. */
  readonly auto: boolean;
}

/** Names of adapters that a processor emulates. */
export const SOFTWARE = /llvmpipe|lavapipe|swiftshader|softpipe|basic render|warp/i;

export function describe(adapter: GPUAdapter, name: string, backend: string): AdapterDescription {
  const { info, limits } = adapter;
  const software = SOFTWARE.test(`${name} ${info.description}`);
  // Dawn's typings lag behind: subgroup sizes are on the adapter's info.
  const { subgroupMinSize, subgroupMaxSize } = info as GPUAdapterInfo & {
    subgroupMinSize?: number;
    subgroupMaxSize?: number;
  };
  return {
    name,
    vendor: info.vendor,
    architecture: info.architecture,
    backend,
    type: software ? 'software' : 'gpu',
    driver: info.description,
    subgroups:
      subgroupMinSize === undefined || subgroupMaxSize === undefined ? null : [subgroupMinSize, subgroupMaxSize],
    maxBufferSize: limits.maxBufferSize,
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    f16: adapter.features.has('shader-f16'),
    auto: !software,
  };
}
