/** Thread of run.mjs: reads a batch of inputs, and says which one it is at. */

import { parentPort, workerData } from 'node:worker_threads';
import { fuzzReader } from './harness.mjs';
import { targetOf } from './targets.mjs';

const { name, at, ...options } = workerData;
const counter = new Int32Array(at);
const total = await fuzzReader(await targetOf(name), {
  ...options,
  onInput(input) {
    Atomics.store(counter, 0, input);
    Atomics.add(counter, 1, 1);
  },
});
parentPort.postMessage(total);
