/** The adapter that GPU tests run on: SwiftShader from npm, or the one named in HINDCAST_TEST_ADAPTER. Never skipped. */
import { afterAll, beforeAll } from 'vitest';
import { type OpenDevice, openDevice } from '#dist/gpu/device.js';
import { guarded } from './gpu/guards.js';

export const ADAPTER = process.env.HINDCAST_TEST_ADAPTER ?? 'swiftshader';

/** Opens the test adapter, with guards behind its buffers. No adapter is a failure, not a reason to skip. */
export async function openTestDevice(): Promise<OpenDevice> {
  const opened = await openDevice(ADAPTER);
  if (opened === null) throw new Error(`no adapter called ${ADAPTER}`);
  return { ...opened, device: guarded(opened.device) };
}

/**
 * Options of runs on the test adapter, known once tests run: one device for all of a file, so that what was compiled for one run
 * serves the next. Call at the top of a test file.
 */
export function testGpu(): () => { readonly device: 'gpu'; readonly gpuDevice: GPUDevice } {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened?.device.destroy());
  return () => ({ device: 'gpu', gpuDevice: opened.device });
}

/** llvmpipe compiles a kernel of a learner for ten seconds, where SwiftShader takes two. */
const COMPILES_SLOWLY = /llvmpipe/i.test(ADAPTER);

/** Every case; where kernels compile slowly, and each case is a kernel, every third (SwiftShader always runs all). */
export function kernelCases<T>(cases: readonly T[]): readonly T[] {
  return COMPILES_SLOWLY ? cases.filter((_, i) => i % 3 === 0) : cases;
}

/** `many`, or `few` where kernels compile slowly. */
export function manyKernels<T>(many: T, few: T): T {
  return COMPILES_SLOWLY ? few : many;
}
