/** Are propensities what they seem? Whatever policy logged the events, 1/p_t is on average the number of candidates. */

import type { Archive, Carried } from '../../archive.js';
import { plural } from '../../words.js';
import type { EventNumbers } from '../event-numbers.js';
import { ArmWeights, type OddArm } from './arm-weights.js';
import { KeyWeights } from './key-weights.js';

/** Arms named in a warning. */
const NAMED = 3;

/** Means of 1/p further from those that are due than by this factor are no chance. */
const ODD_WEIGHTS = 2;

export class PropensityCheck implements Carried {
  readonly armWeights: ArmWeights;
  private readonly keyWeights: KeyWeights;
  private events = 0;
  /** Σ 1/p_t, and Σ |A_t|, which is its mean whatever the logging policy. */
  private weights = 0;
  private candidates = 0;

  constructor({ arms, keys }: Pick<EventNumbers, 'arms' | 'keys'>) {
    this.armWeights = new ArmWeights(arms);
    this.keyWeights = new KeyWeights(arms, keys);
  }

  add(batch: EventNumbers): void {
    this.armWeights.add(batch);
    this.keyWeights.add(batch);
    const { events, propensity, pools } = batch;
    const { offsets, pool } = pools;
    this.events += events;
    for (let t = 0; t < events; t++) {
      const set = pool === null ? 0 : pool[t];
      this.weights += 1 / (propensity?.[t] ?? Number.NaN);
      this.candidates += offsets[set + 1] - offsets[set];
    }
  }

  warnings(): string[] {
    if (this.events === 0) return [];
    const [weight, due] = [this.weights / this.events, this.candidates / this.events];
    if (weight <= due * ODD_WEIGHTS && weight * ODD_WEIGHTS >= due) {
      return [...oddArms(this.armWeights.odd()), ...this.keyWeights.warnings()];
    }
    const shown = (value: number): string => String(Number(value.toPrecision(3)));
    return [
      `the mean of 1/propensity is ${shown(weight)}, and with ${shown(due)} candidates on average ${shown(due)} is expected: is the column really the probability of the logged arm? If it is not, every value is wrong`,
    ];
  }

  carry(archive: Archive): void {
    this.armWeights.carry(archive);
    this.keyWeights.carry(archive);
    this.events = archive.number(this.events);
    this.weights = archive.number(this.weights);
    this.candidates = archive.number(this.candidates);
  }
}

function oddArms(odd: readonly OddArm[]): string[] {
  if (odd.length === 0) return [];
  const count = (number: number): string => Math.round(number).toLocaleString('en');
  const named = odd
    .slice(0, NAMED)
    .map(
      ({ arm, events, weight, offered }) =>
        `${JSON.stringify(arm)}: ${count(weight)} from ${plural(events, 'event')}, while ${count(offered)} offer it`,
    );
  const more = odd.length > NAMED ? `; and ${odd.length - NAMED} more` : '';
  return [
    `the sum of 1/propensity over an arm's events is on average the number of events that offer it; here it is not for ${named.join('; ')}${more}. Either the column is not the probability of the logged arm, and every value is wrong, or the arm was not always possible, and policies that choose it there are valued wrongly`,
  ];
}
