/** The engines that published numbers are compared on. Apart from the numbers, so that CPU tests need no adapter. */
import { afterAll, beforeAll } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { ADAPTER, openTestDevice } from '../adapter.js';

export interface Engine {
  readonly name: string;
  /** `evaluate` on this engine; fails where another one answered. */
  run(options: Omit<EvaluateOptions, 'device' | 'adapter' | 'gpuDevice'>): Promise<EvaluationResult>;
}

/** The CPU engine and the test adapter. Call at the top of a test file. */
export function engines(): Engine[] {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened?.device.destroy());
  return [
    { name: 'CPU', run: (options) => evaluate({ ...options, device: 'cpu' }) },
    {
      name: ADAPTER,
      run: async (options) => {
        const result = await evaluate({ ...options, device: 'gpu', gpuDevice: opened.device });
        if (result.engine.device !== 'gpu' || result.engine.fallback !== null)
          throw new Error('the GPU engine did not answer');
        return result;
      },
    },
  ];
}
