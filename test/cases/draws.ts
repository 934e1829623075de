/** Seeded draws for tests. */
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';

/** Seeded draws in [0, 1). */
export function generator(seed: number): () => number {
  const words = new Uint32Array(2);
  let counter = 0;
  return () => {
    threefry2x32(seed, STREAM.simulation, counter++, 0, words);
    return toUnit(words[0], words[1]);
  };
}

/** `size` distinct arms out of K. */
export function sample(arms: number, size: number, draw: () => number): number[] {
  const all = Array.from({ length: arms }, (_, a) => a);
  for (let i = 0; i < size; i++) {
    const j = i + Math.floor(draw() * (arms - i));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, size);
}
