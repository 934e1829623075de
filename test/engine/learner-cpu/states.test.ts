/** States of learners that do not fit the memory are refused with the sum, which is of what learners then hold. */

import { describe, expect, it } from 'vitest';
import { arrayBytes, checkStates } from '#dist/engine/learner-cpu/states.js';
import { parseLearnerSet, prepareLearners } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { algorithm, learner, plainLog } from '../../learner/helpers.js';

const [K, D] = [5, 48];

/** Contexts up to `size`: large ones take double-doubles. */
function log(size: number, width = 3): EventLog {
  return plainLog(K, 50, {
    context: { values: Float64Array.from({ length: 50 * D }, (_, i) => size * Math.sin(i * i)), dimension: D },
    armFeatures: { values: Float64Array.from({ length: K * width }, (_, i) => Math.cos(i)), dimension: width },
  });
}

/** Bytes of the distinct buffers that an object leads to, those of the log left out. */
function held(one: object, but: object): number {
  const buffers = (root: object): Set<ArrayBufferLike> => {
    const found = new Set<ArrayBufferLike>();
    const seen = new Set<unknown>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      if (ArrayBuffer.isView(value)) found.add(value.buffer);
      else for (const part of value instanceof Map ? value.values() : Object.values(value)) visit(part);
    };
    visit(root);
    return found;
  };
  const logs = buffers(but);
  return [...buffers(one)].reduce((sum, buffer) => sum + (logs.has(buffer) ? 0 : buffer.byteLength), 0);
}

describe('sizes told beforehand are those of what is then made', () => {
  const cases = ['linucb', 'lin-thompson', 'glm-ucb', 'cemp', 'linrel', 'linucb-hybrid'].flatMap((name) =>
    [1, 1e4, 1e9].map((size) => [name, size, {}] as const),
  );
  it.each([...cases, ['linucb-hybrid', 1, { shared: 'features' }] as const])(
    '%s, contexts up to %d',
    (name, size, parameters) => {
      const events = log(size);
      const one = algorithm(name);
      const valid = one.schema.parse(parameters);
      const told = arrayBytes(one.arrays?.(valid, events, false) ?? []);
      const real = held(learner(name, parameters, events), events);
      // Vectors beside the matrices: some 20 of d (and k) per arm.
      expect(told).toBeLessThanOrEqual(real);
      expect(told).toBeGreaterThan(0.85 * real);
      expect(arrayBytes(one.arrays?.(valid, events, true) ?? [])).toBeLessThanOrEqual(told);
    },
  );
});

describe('what does not fit', () => {
  const room = { repeats: 3, running: 1, carried: false, which: 'that is free' };
  const settings = prepareLearners(parseLearnerSet([{ algorithm: 'ucb1' }, { algorithm: 'linrel' }]), log(1));
  // Two K d² of 8 bytes.
  const one = 16 * K * D * D;

  it.each([
    [1, false, one],
    [2, false, 2 * one],
    // Beyond the three of linrel come those of ucb1.
    [6, false, 3 * one],
    [2, true, 5 * one],
  ])('%i at a time, carried: %s, need %i bytes', async (running, carried, bytes) => {
    const ready = await settings;
    checkStates(log(1), ready, { ...room, running, carried, bytes });
    expect(() => checkStates(log(1), ready, { ...room, running, carried, bytes: bytes - 1 })).toThrow(
      /learner "linrel" does not fit[\s\S]*5 arms × 48 × 48 × 8 bytes = 0.1 MB[\s\S]*the memory that is free[\s\S]*fewer context columns/,
    );
  });
});
