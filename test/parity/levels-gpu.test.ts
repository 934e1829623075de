/** Sums over levels on the test adapter. */
import { afterAll, beforeAll } from 'vitest';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { levelTests } from './levels.js';

let opened: OpenDevice;
let gpu: GpuBackend;
beforeAll(async () => {
  opened = await openTestDevice();
  gpu = new GpuBackend(opened.device, { threads: 1 });
});
afterAll(async () => {
  await gpu?.close();
  opened?.device.destroy();
});

levelTests(`on ${ADAPTER}`, () => gpu);
