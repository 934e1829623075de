/** Sums of every fold and group, from which those without a fold are added up: never by subtraction, which would cancel digits. */

import { InputError } from '../errors.js';
import { checkRoom, gigabytes } from '../log/build/memory.js';
import { plural } from '../words.js';

/** Sums of more bytes are refused whatever the machine has: they are state of checkpoints too. */
const MOST_BYTES = 4e9;

/**
 * Calls `visit` with the sums of each fold's training events, [size]: those of all other folds, or of the only one.
 *
 * @param sums [F, groups, size]
 */
export function withoutEachFold(
  sums: Float64Array,
  { folds, groups, size }: { readonly folds: number; readonly groups: number; readonly size: number },
  group: number,
  visit: (fold: number, training: Float64Array) => void,
): void {
  const of = (fold: number): Float64Array =>
    sums.subarray((fold * groups + group) * size, (fold * groups + group + 1) * size);
  if (folds === 1) {
    visit(0, of(0));
    return;
  }
  // behind[f] is the sum over folds f, f + 1, …; before is that over folds 0 … f − 1.
  const behind = new Float64Array((folds + 1) * size);
  for (let f = folds - 1; f > 0; f--) {
    const own = of(f);
    for (let i = 0; i < size; i++) behind[f * size + i] = own[i] + behind[(f + 1) * size + i];
  }
  const before = new Float64Array(size);
  const training = new Float64Array(size);
  for (let f = 0; f < folds; f++) {
    const own = of(f);
    for (let i = 0; i < size; i++) {
      training[i] = before[i] + behind[(f + 1) * size + i];
      before[i] += own[i];
    }
    visit(f, training);
  }
}

/** Of a regression per arm and fold. @param numbers of each, for so many columns. @throws InputError as {@link checkSums}. */
export function checkArmSums(
  [folds, arms, numbers]: readonly [number, number, number],
  columns: number,
  memory: number | null,
): void {
  checkSums(
    `${plural(folds, 'fold')} × ${plural(arms, 'arm')} × ${numbers} sums (of ${plural(columns, 'context column')}) × 8 bytes`,
    8 * folds * arms * numbers,
    memory,
    'fewer --folds (in code: folds), fewer context columns, or --reward-model mean (in code: rewardModel), which takes none',
  );
}

/**
 * @param product where the bytes come from, written out.
 * @param memory bytes that the process may take; `null`: no bound.
 * @throws InputError where sums would take too much.
 */
export function checkSums(product: string, bytes: number, memory: number | null, hint: string): void {
  const most = Math.min(MOST_BYTES, memory ?? MOST_BYTES);
  if (bytes > most) {
    throw new InputError({
      problem: 'the sums of the reward model take too much memory',
      got: `${product} = ${gigabytes(bytes)}`,
      needed: `at most ${gigabytes(most)}`,
      hint,
    });
  }
  checkRoom('the sums of the reward model', product, bytes, hint);
}
