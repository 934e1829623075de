/**
 * Predictions q̂ and residuals e = r − q̂ as whole numbers of one unit, such that a prediction that is a payoff is it exactly: the
 * unit is a step of payoffs divided (or, for predictions alone, multiplied) by a power of two.
 */

import type { Archive, Carried } from '../archive.js';
import type { EventNumbers, Predictions } from './event-numbers.js';
import { basePayoff, type PayoffScale, stepSize } from './sums/payoff-scale.js';
import { type PayoffUnits, payoffUnits } from './sums/payoff-units.js';
import type { Factor } from './sums/products.js';
import type { ChoiceTable, ColumnKind, MatchColumn } from './sums/summands.js';
import { multiply, newWords, type WholeColumn, wordsOf } from './sums/whole-numbers.js';

/** Most steps of predictions: they fill a word. */
const MOST_STEPS = 2 ** 32 - 8;
/** Units of a number are exact below this. */
const EXACT = 2 ** 51;

class Range implements Carried {
  low = Number.POSITIVE_INFINITY;
  high = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
  }

  carry(archive: Archive): void {
    this.low = archive.number(this.low);
    this.high = archive.number(this.high);
  }
}

const NOTHING = { low: 0, high: 0 } as const;

interface Units {
  /** In payoffs. */
  readonly unit: number;
  readonly prediction: Steps;
  readonly residual: Steps;
}

/** Of a number: units per step, and its smallest and largest in steps. */
interface Steps {
  readonly units: number;
  readonly first: number;
  readonly last: number;
}

export class ModelUnits implements Carried {
  private readonly predicted = new Range();
  private readonly residual = new Range();
  private readonly step: number;
  private known: Units | null = null;

  /** @param drawn predictions are means over the arms that a policy may draw, and count 0 for the share in which it has none. */
  constructor(
    private readonly scale: PayoffScale,
    drawn: boolean,
  ) {
    if (drawn) this.predicted.add(0);
    this.step = stepSize(scale) || Math.abs(basePayoff(scale)) || 1;
  }

  /** Takes note of how large predictions and residuals are. */
  survey(batch: EventNumbers, predictions: Predictions): void {
    this.known = null;
    const { offsets, arms, pool } = batch.pools;
    const count = batch.arms.ids.length;
    for (let t = 0; t < batch.events; t++) {
      const at = rowOf(predictions, t) * count;
      const set = pool === null ? 0 : pool[t];
      for (let i = offsets[set]; i < offsets[set + 1]; i++) this.predicted.add(predictions.values[at + arms[i]]);
      this.residual.add(this.payoff(batch, t) - predictions.values[at + batch.arm[t]]);
    }
  }

  /** Largest rounding of a prediction, in payoffs. */
  get rounding(): number {
    const { unit, prediction } = this.units();
    return (unit * prediction.units) / 2;
  }

  /** Factors: predictions and residuals from the smallest on. */
  get factors(): { readonly prediction: Factor; readonly residual: Factor } {
    const { prediction, residual } = this.units();
    const factor = (name: string, { first, last }: Steps): Factor => ({ name, most: BigInt(last - first) });
    return { prediction: factor('prediction', prediction), residual: factor('residual', residual) };
  }

  /** Factor 0 of each, in units, and units of a prediction's step. */
  get origins(): { readonly prediction: bigint; readonly residual: bigint; readonly units: bigint } {
    const { prediction, residual } = this.units();
    return { prediction: BigInt(prediction.first), residual: BigInt(residual.first), units: BigInt(prediction.units) };
  }

  /** Units as payoffs. */
  get payoffs(): PayoffUnits {
    const payoffs = payoffUnits(this.scale);
    const { unit } = this.units();
    // Exact payoffs: unit = step · 2^−j, and the step is numerator / denominator.
    return this.scale.rounded
      ? { ...payoffs, size: unit }
      : { ...payoffs, size: 2 ** Math.round(Math.log2(unit / this.step)) };
  }

  /** Of each event: the predicted payoff of the logged arm, and the residual. */
  columns(batch: EventNumbers, predictions: Predictions): { prediction: WholeColumn; residual: WholeColumn } {
    const { unit, prediction, residual } = this.units();
    const words = wordsOf(this.factors.residual.most);
    const columns = Array.from({ length: words }, () => newWords(batch.events));
    const predicted = newWords(batch.events);
    for (let t = 0; t < batch.events; t++) {
      const q = predictions.values[rowOf(predictions, t) * batch.arms.ids.length + batch.arm[t]];
      const steps = Math.round(q / (unit * prediction.units));
      const whole = this.payoffUnits(batch, t) - steps * prediction.units - residual.first;
      predicted[t] = steps - prediction.first;
      columns[0][t] = whole % 2 ** 32;
      if (words > 1) columns[1][t] = Math.floor(whole / 2 ** 32);
    }
    return { prediction: [predicted], residual: columns };
  }

  readonly tableKinds: readonly ColumnKind[] = [
    'predictions, events',
    'predictions',
    'predictions², word 0',
    'predictions², word 1',
  ].map((name) => ({ name, reduce: 'sum' as const }));

  /** Of the chosen arm: a one, the prediction and its square. */
  tables(batch: EventNumbers, { values, rows, row }: Predictions): ChoiceTable[] {
    const { unit, prediction } = this.units();
    const size = unit * prediction.units;
    const most = prediction.last - prediction.first;
    const arms = batch.arms.ids.length;
    const predicted = newWords(rows * arms);
    for (let i = 0; i < predicted.length; i++) {
      const steps = Math.round(values[i] / size) - prediction.first;
      // What is no candidate anywhere is never chosen, and may be any number.
      if (steps >= 0 && steps <= most) predicted[i] = steps;
    }
    const columns = [newWords(predicted.length).fill(1), predicted, ...multiply([predicted], [predicted], 2)];
    return columns.map((words, i) => ({ ...this.tableKinds[i], words, arms, row }));
  }

  /** The same of expected predictions Q, one per event. */
  expected(expected: Float64Array): { prediction: WholeColumn; tables: MatchColumn[] } {
    const { unit, prediction } = this.units();
    const size = unit * prediction.units;
    const most = prediction.last - prediction.first;
    // A mean lies between the numbers it is made of, but for what f64 loses.
    const whole = Uint32Array.from(expected, (q) =>
      Math.min(most, Math.max(0, Math.round(q / size) - prediction.first)),
    );
    const columns = [newWords(whole.length).fill(1), whole, ...multiply([whole], [whole], 2)];
    return { prediction: [whole], tables: columns.map((words, i) => ({ ...this.tableKinds[i], words })) };
  }

  carry(archive: Archive): void {
    this.known = null;
    this.predicted.carry(archive);
    this.residual.carry(archive);
  }

  private payoff({ payoff: { steps } }: EventNumbers, t: number): number {
    const { scale } = this;
    return scale.rounded
      ? basePayoff(scale) + steps[t] * stepSize(scale)
      : ((scale.origin + steps[t]) * scale.numerator) / scale.denominator;
  }

  private payoffUnits(batch: EventNumbers, t: number): number {
    const { unit } = this.units();
    const { scale, step } = this;
    if (scale.rounded) return Math.round(this.payoff(batch, t) / unit);
    return (scale.origin + batch.payoff.steps[t]) * Math.round(step / unit);
  }

  private units(): Units {
    if (this.known !== null) return this.known;
    const { step } = this;
    // An empty log has neither.
    const isEmpty = this.residual.high < this.residual.low;
    const [predicted, residual] = isEmpty ? [NOTHING, NOTHING] : [this.predicted, this.residual];
    const range = Math.max(predicted.high - predicted.low, residual.high - residual.low);
    const largest = Math.max(...[predicted, residual].flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
    // Steps of predictions are step · 2^power, and the unit is the smaller of the two.
    let power = Math.max(
      Math.ceil(Math.log2(range / MOST_STEPS / step)),
      Math.ceil(Math.log2((2 * largest) / EXACT / step)),
    );
    if (!Number.isFinite(power)) power = 0;
    const unit = step * 2 ** Math.min(0, power);
    const units = 2 ** Math.max(0, power);
    const size = unit * units;
    const prediction = { units, first: Math.round(predicted.low / size), last: Math.round(predicted.high / size) };
    // Payoff and prediction are rounded by themselves.
    const [first, last] = [Math.floor(residual.low / unit) - units, Math.ceil(residual.high / unit) + units];
    this.known = { unit, prediction, residual: { units: 1, first, last } };
    return this.known;
  }
}

function rowOf({ row }: Predictions, t: number): number {
  return row === null ? t : row[t];
}
