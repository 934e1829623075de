/** Logs made of blocks of one log, drawn with replacement: how often each block is in each of them. */

import { STREAM, threefry2x32, toUnit } from '../random/threefry.js';

const known = new Map<number, readonly Uint16Array[]>();

/** [draws][blocks]; the same draws for every policy. */
export function redraws(blocks: number, draws: number): readonly Uint16Array[] {
  const key = blocks * 2 ** 20 + draws;
  let counts = known.get(key);
  if (counts === undefined) {
    const out = new Uint32Array(2);
    counts = Array.from({ length: draws }, (_, draw) => {
      const times = new Uint16Array(blocks);
      for (let i = 0; i < blocks; i++) {
        threefry2x32(0, STREAM.bootstrap, i, draw, out);
        times[Math.floor(toUnit(out[0], out[1]) * blocks)]++;
      }
      return times;
    });
    known.clear();
    known.set(key, counts);
  }
  return counts;
}
