/** A hash of user names, so that a user falls in the same block in every file, shard and run. */

import { threefry2x32 } from '../../random/threefry.js';

/**
 * 32 well-mixed bits of a text: its UTF-16 units, four at a time, chained through Threefry (each link is keyed by the one
 * before). Depends on the text and the salt alone. Not meant to resist an adversary.
 *
 * @param salt another one gives bits that are independent of these.
 */
export function userHash(text: string, salt = 0): number {
  const state = new Uint32Array(2);
  state[1] = salt;
  // The length goes first, so that trailing zero units are not lost in the padding.
  state[0] = text.length;
  for (let i = 0; i < text.length || i === 0; i += 4) {
    threefry2x32(state[0], state[1], units(text, i), units(text, i + 2), state);
  }
  return state[0];
}

/** Two UTF-16 units as one word; zeros beyond the end. */
function units(text: string, i: number): number {
  const first = i < text.length ? text.charCodeAt(i) : 0;
  const second = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
  return first * 65536 + second;
}

/** {@link userHash} of every name: what `userBlocks` takes, from a log's user levels. */
export function userHashes(names: readonly string[], salt = 0): Uint32Array {
  return Uint32Array.from(names, (name) => userHash(name, salt));
}
