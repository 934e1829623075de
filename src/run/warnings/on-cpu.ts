/** Why the CPU replayed learners beside a GPU. */

import type { ReplayWork } from '../../engine/learner-contract.js';
import { beyondKernel } from '../../engine/learner-gpu/range.js';
import { kernelArithmetic, SCALE } from '../../learner/linear/conditioning.js';

/** @param onCpu names of the learners that it replayed. */
export function withoutKernel(
  onCpu: readonly string[] = [],
  { settings, head }: Pick<ReplayWork, 'settings' | 'head'>,
): string[] {
  const found = settings
    .filter(({ name }) => onCpu.includes(name))
    .map(({ name, algorithm, given }) => ({
      name,
      arithmetic: kernelArithmetic(algorithm, given, head),
      beyond: beyondKernel(algorithm, given, head),
    }));
  const demanding = found.filter(({ arithmetic }) => arithmetic?.paired === false);
  const beyond = found.filter((one) => one.beyond !== null && !demanding.includes(one));
  const numbers = [...new Set(beyond.map((one) => one.beyond))].join(', ');
  const helps = demanding.some(({ arithmetic }) => arithmetic?.scalable.paired === true);
  const told: readonly [reason: string, of: typeof found, step: string][] = [
    ['without a GPU kernel', found.filter((one) => !demanding.includes(one) && !beyond.includes(one)), ''],
    [`with numbers of a size that the GPU cannot compute with (${numbers})`, beyond, ''],
    [
      'on contexts that need more digits than the GPU has',
      demanding,
      helps ? `; columns that ${SCALE} brings to like sizes need fewer` : '',
    ],
  ];
  return told.flatMap(([reason, of, step]) =>
    of.length === 0 ? [] : [`replayed by the CPU engine, ${reason}: ${of.map(({ name }) => name).join(', ')}${step}`],
  );
}
