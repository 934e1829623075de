/** The payoff scale of several files: the one that their payoffs together have. */

import { atPlace, filesText } from '../../errors.js';
import { basePayoff, type PayoffScale, stepSize } from '../../estimate/sums/payoff-scale.js';
import { u32Column } from '../../log/build/memory.js';
import { ScaleFinder } from '../../log/build/scale-finder.js';
import type { PayoffColumn } from '../../log/event-log.js';
import type { PackedFile } from '../packed-file.js';
import { nonEmpty, unlike } from './parts.js';

type Basis = PayoffColumn['rangeBasis'];
type Range = readonly [number, number];

/** Steps are kept as u32. */
const MOST_STEPS = 2 ** 32;

/**
 * The payoff column without events. Where the scales of the files do not say what the joint one is, all payoffs are read.
 *
 * @param payoffsOf the payoffs of a file.
 * @throws InputError for declared ranges that differ, and for payoffs that were rounded to other steps.
 */
export async function mergePayoffs(
  files: readonly PackedFile[],
  payoffsOf: (file: PackedFile) => AsyncIterable<ArrayLike<number>>,
): Promise<PayoffColumn> {
  const range = givenRange(files);
  const with_ = nonEmpty(files);
  const [first] = with_;
  const { scale } = first.header.payoff;
  const column = (
    scale: PayoffScale,
    maxSteps: number,
    basis: Basis,
    rounding?: PayoffColumn['rounding'],
  ): PayoffColumn => {
    const rangeBasis = range === null ? basis : range.basis;
    return {
      ...{ steps: u32Column(0), scale, maxSteps },
      ...(rangeBasis === undefined ? {} : { rangeBasis }),
      ...(rounding === undefined ? {} : { rounding }),
    };
  };
  if (with_.every(({ header }) => isSame(header.payoff.scale, scale))) {
    const maxSteps = Math.max(...with_.map(({ header }) => header.payoff.maxSteps));
    const roundings = with_.flatMap(({ header }) => header.payoff.rounding ?? []);
    // Medians of files do not make a joint one; the largest accuses nobody wrongly.
    const rounding = roundings.sort((a, b) => b.typical - a.typical).at(0);
    return column(scale, maxSteps, first.header.payoff.rangeBasis, rounding);
  }
  const joint = jointSteps(with_, range?.range ?? null);
  if (joint !== null) return column(joint.scale, joint.maxSteps, joint.basis);
  const finder = new ScaleFinder();
  for (const file of with_) checkExact(files, file, with_);
  for (const file of with_) {
    for await (const payoffs of payoffsOf(file)) {
      for (let t = 0; t < payoffs.length; t++) finder.push(payoffs[t] + 0);
    }
  }
  const file = filesText(files.map(({ name }) => name));
  const found = atPlace({ file }, () => finder.finish(range?.range));
  return column(found.scale, found.maxSteps, found.basis, found.rounding);
}

function isSame(a: PayoffScale, b: PayoffScale): boolean {
  const names = ['rounded', 'origin', 'numerator', 'denominator', 'low', 'high', 'base', 'span'] as const;
  return names.every((name) => a[name] === b[name]);
}

/** The range that payoffs were given, which is then that of every file; `null`: ranges are those of the payoffs. */
function givenRange(files: readonly PackedFile[]): { range: Range; basis: Basis } | null {
  const with_ = nonEmpty(files);
  const isGiven = ({ header }: PackedFile): boolean =>
    header.payoff.rangeBasis === 'declared' || (header.payoff.rangeBasis === undefined && header.events > 0);
  const given = files.find(isGiven);
  if (given === undefined) return null;
  const { low, high } = given.header.payoff.scale;
  const other = [...with_, ...files.filter(isGiven)].find(
    ({ header: { payoff } }) => payoff.scale.low !== low || payoff.scale.high !== high,
  );
  if (other !== undefined) {
    const { scale, rangeBasis } = other.header.payoff;
    throw unlike(files, {
      file: other.name,
      column: 'payoff',
      problem: `the range of payoffs is not that of ${given.name}`,
      got: `${scale.low} to ${scale.high}${rangeBasis === 'declared' ? ', declared' : ', where none was declared'}`,
      needed: `${low} to ${high}`,
      hint: 'convert the original files with the same --payoff-range',
    });
  }
  const isDeclared = files.some(({ header }) => header.payoff.rangeBasis === 'declared');
  return { range: [low, high], basis: isDeclared ? 'declared' : undefined };
}

/** The joint scale of files whose payoffs are whole numbers of the same step; `null`: their scales do not say. */
function jointSteps(
  files: readonly PackedFile[],
  given: Range | null,
): { scale: PayoffScale; maxSteps: number; basis: Basis } | null {
  const payoffs = files.map(({ header }) => header.payoff);
  const { numerator, denominator } = payoffs[0].scale;
  const isJoint = payoffs.every(
    ({ scale }) =>
      !scale.rounded && scale.numerator === numerator && scale.denominator === denominator && scale.origin <= 0,
  );
  if (!isJoint) return null;
  const origin = Math.min(...payoffs.map(({ scale }) => scale.origin));
  const last = Math.max(...payoffs.map(({ scale, maxSteps }) => scale.origin + maxSteps));
  if (Math.max(0, last) - origin >= MOST_STEPS) return null;
  const range = given ?? observedRange(payoffs);
  if (range === null) return null;
  const isUnit = given === null && payoffs.every(({ rangeBasis }) => rangeBasis === 'unit');
  const scale = { rounded: false, origin, numerator, denominator, low: range[0], high: range[1] };
  return { scale, maxSteps: last - origin, basis: isUnit ? 'unit' : 'observed' };
}

/** The smallest and the largest payoff, or [0, 1] where they lie there; `null`: the smallest is not known. */
function observedRange(payoffs: readonly PackedFile['header']['payoff'][]): Range | null {
  if (payoffs.every(({ rangeBasis }) => rangeBasis === 'unit')) return [0, 1];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { scale, maxSteps, rangeBasis } of payoffs) {
    const most = ((scale.origin + maxSteps) * scale.numerator) / scale.denominator;
    if (rangeBasis === 'observed') low = Math.min(low, scale.low);
    else if (maxSteps === 0) low = Math.min(low, most);
    else return null;
    high = Math.max(high, rangeBasis === 'observed' ? scale.high : most);
  }
  return [low, high];
}

/** @throws InputError where the file does not hold the payoffs of its original. */
function checkExact(files: readonly PackedFile[], file: PackedFile, with_: readonly PackedFile[]): void {
  const { scale, steps } = file.header.payoff;
  const other = with_.find((one) => one !== file && !isSame(one.header.payoff.scale, scale)) ?? file;
  const name = (one: PayoffScale): string =>
    `${one.rounded ? 'rounded ' : ''}steps of ${stepSize(one)} from ${basePayoff(one)}, in ${one.low} to ${one.high}`;
  if (scale.rounded && steps) {
    throw unlike(files, {
      file: file.name,
      column: 'payoff',
      problem: 'the payoffs were rounded, and to other steps than those of the other files',
      got: name(scale),
      needed: `${name(other.header.payoff.scale)}, as in ${other.name}`,
    });
  }
  if (file.header.source.distinctViews !== undefined) {
    throw unlike(files, {
      file: file.name,
      column: 'payoff',
      problem: 'the payoffs of views that were counted as one are gone, and with them the scale of all payoffs',
      got: name(scale),
      needed: `${name(other.header.payoff.scale)}, as in ${other.name}`,
    });
  }
}
