/** M of clipped weights min(w, M): one for all policies, or chosen for each. */

/** M; or those among which it is chosen for each policy, as no clipping always is. `auto`: by the largest weight of the log. */
export type Clip = number | 'auto' | readonly number[];

/** M is above 0; among several it may be infinite, which clips nothing. */
export function isClip(value: unknown): value is Clip {
  const isMost = (one: unknown): one is number => typeof one === 'number' && one > 0;
  if (Array.isArray(value)) return value.length > 0 && value.every(isMost);
  return value === 'auto' || (isMost(value) && Number.isFinite(value));
}

/** Each M once, from small to large, below the largest weight of the log: a larger one clips nothing. `auto`: 2, 5, 10, 20, 50, … */
export function clipsBelow(clips: Exclude<Clip, number>, largest: number): number[] {
  const all = clips === 'auto' ? roundNumbers(largest) : [...new Set(clips)];
  return all.filter((one) => one < largest).sort((a, b) => a - b);
}

function roundNumbers(most: number): number[] {
  const numbers: number[] = [];
  for (let ten = 1; 2 * ten < most; ten *= 10) numbers.push(2 * ten, 5 * ten, 10 * ten);
  return numbers;
}
