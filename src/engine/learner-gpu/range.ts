/**
 * Whether a learner's numbers are those that its kernel computes with: told from setting and log before anything is made, here
 * and nowhere else. Where they are not, the CPU engine replays it.
 *
 * Kernels hold numbers as f32 or pairs of f32 (shaders/lib/pair.wgsl): beyond 2¹²⁷ they are infinite, and low words vanish
 * below 2⁻¹²⁶. Products of three of them stay within that where each is at most 2³⁰; and what vanishes, times two more of that
 * size, is below 2⁻⁶⁶, nothing beside a tie tolerance. So small numbers need no bound, unless they divide.
 */

import { basePayoff, stepSize } from '../../estimate/sums/payoff-scale.js';
import { type Arithmetic, kernelArithmetic, PAIR_UNIT } from '../../learner/linear/conditioning.js';
import type { EventLog } from '../../log/event-log.js';

/** Of factors, and of what is divided by. */
const LARGEST = 2 ** 30;
const SMALLEST = 2 ** -30;
/** Of numbers that meet few others: payoffs and α of learners without contexts. */
const LARGEST_TERM = 2 ** 60;
/** Relative error of an upper confidence bound in pairs, and of Beta variates that come so near to 0 or 1 that they tie. */
const BOUND_UNIT = 2 ** -42;
/** As in `conditioning.ts`: a quarter of the default tie tolerance. */
const BORNE_BY_TIES = 2.5e-7;
/** Exact ties are ties on a GPU as well where the tolerance is this many times the error: of two scores, and as much to spare. */
const ROOM_FOR_TIES = 4;
/**
 * Scores are often fractions of counts, and one at max − τ exactly is a tie or not as rounding has it. That takes counts whose
 * least common multiple is a multiple of 1/τ.
 */
const WIDEST_TIES = 1e-5;

interface Given {
  readonly alpha?: number;
  readonly v?: number;
  readonly lambda?: number;
  readonly a?: number;
  readonly b?: number;
  readonly shared?: string;
  readonly tieTolerance: number;
}

/**
 * What of a setting or of its log the kernel cannot hold, in the words of the setting: `alpha`, `payoffs`. `null`: nothing.
 *
 * @param algorithm one that has a kernel.
 * @param given its parameters, validated.
 * @param log its head suffices.
 * @param widest for tests: the largest tie tolerance.
 */
export function beyondKernel(
  algorithm: string | null,
  given: object,
  log: EventLog,
  widest = WIDEST_TIES,
): string | null {
  const parameters = given as Given;
  switch (algorithm) {
    case 'ucb':
    case 'ucb1':
      return ofBounds(parameters, log, widest);
    case 'thompson':
      return ofBeta(parameters);
    case 'linucb':
    case 'lin-thompson':
    case 'cemp':
    case 'linucb-hybrid': {
      const arithmetic = kernelArithmetic(algorithm, parameters, log);
      return arithmetic === null ? null : ofRegression(algorithm, parameters, arithmetic, log, widest);
    }
    default:
      // The others count, in whole numbers of as many bits as it takes.
      return null;
  }
}

function ofBounds({ alpha = 0, tieTolerance }: Given, { payoff }: EventLog, widest: number): string | null {
  const lowest = basePayoff(payoff.scale);
  const highest = lowest + payoff.maxSteps * stepSize(payoff.scale);
  const largest = Math.max(Math.abs(lowest), Math.abs(highest));
  if (alpha > LARGEST_TERM) return 'alpha';
  if (largest > LARGEST_TERM) return 'payoffs';
  // A mean of payoffs of both signs cancels, and then its error is relative to what cancelled.
  if (lowest < 0 && BOUND_UNIT * largest > BORNE_BY_TIES) return 'payoffs';
  return ties(tieTolerance, BOUND_UNIT, widest);
}

function ofBeta({ a = 1, b = 1, tieTolerance }: Given): string | null {
  // A shape s below 1 makes U^(1/s).
  if (a < SMALLEST) return 'a';
  if (b < SMALLEST) return 'b';
  // Draws are no fractions.
  return ties(tieTolerance, BOUND_UNIT, 1);
}

function ofRegression(
  algorithm: string,
  { alpha, v, lambda = 1, shared, tieTolerance }: Given,
  { bounds, length, condition }: Arithmetic,
  { armFeatures }: EventLog,
  widest: number,
): string | null {
  if ((alpha ?? 0) > LARGEST) return 'alpha';
  if ((v ?? 0) > LARGEST) return 'v';
  if (lambda > LARGEST ** 2 || lambda < SMALLEST ** 2) return 'lambda';
  // R x, where R = I/√λ at the beginning and only shrinks; and, of arm features z, √((zᵀz + 1)/λ).
  const width = (x: number): number => (x * Math.sqrt(length)) / Math.sqrt(lambda);
  if (width(bounds.largest) > LARGEST) return 'contexts';
  // A click rate near 1 is wrong by half a unit, and its logit moves by xᵀA⁻¹x times that.
  if (algorithm === 'cemp' && (width(bounds.largest) ** 2 * PAIR_UNIT) / 2 > BORNE_BY_TIES) return 'contexts';
  if (shared !== undefined && armFeatures?.values.some((x) => width(Math.abs(x)) > LARGEST)) return 'arm features';
  return ties(tieTolerance, PAIR_UNIT * condition, widest);
}

function ties(tolerance: number, unit: number, widest: number): string | null {
  return ROOM_FOR_TIES * unit > tolerance || tolerance > widest ? 'tieTolerance' : null;
}
