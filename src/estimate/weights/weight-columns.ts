/** Weights of a log as whole steps: what w = 1/p counts by a rule, rounded once. */

import type { Archive, Carried } from '../../archive.js';
import type { EventNumbers } from '../event-numbers.js';
import { type FixedPoint, fixedPoint, NumberRange, twoWords, wholeNumbers } from '../sums/fixed-point.js';
import type { Factor } from '../sums/products.js';
import type { WholeColumn } from '../sums/whole-numbers.js';
import { clipped, type WeightRule } from './weight-rule.js';

export class WeightColumns implements Carried {
  private readonly range = new NumberRange();
  private known: { readonly fixed: FixedPoint; readonly factor: Factor } | null = null;

  /** @param drawn weights are π/p with any π up to 1, in steps of 2⁻⁵³ of the largest 1/p. */
  constructor(
    readonly rule: WeightRule,
    private readonly drawn: boolean,
  ) {}

  survey({ events, propensity }: Pick<EventNumbers, 'events' | 'propensity'>): void {
    const { drawn, rule } = this;
    this.known = null;
    for (let t = 0; t < events; t++) {
      const weight = 1 / (propensity?.[t] ?? Number.NaN);
      // A rule's largest may be that of a smaller weight, and is at most the weight itself.
      this.range.add(drawn ? weight : rule.of(weight));
    }
  }

  /** Those of clipped weights, of which the range of these tells all. */
  clippedAt(most: number): WeightColumns {
    const columns = new WeightColumns(clipped(most), this.drawn);
    for (const weight of [this.range.least, this.range.high])
      columns.range.add(this.drawn ? weight : columns.rule.of(weight));
    return columns;
  }

  /** Known when all events were seen, like all that follows. */
  get largest(): number {
    return this.range.high;
  }

  get fixed(): FixedPoint {
    return this.steps.fixed;
  }

  get factor(): Factor {
    return this.steps.factor;
  }

  columns({ events, propensity }: Pick<EventNumbers, 'events' | 'propensity'>): WholeColumn {
    const { of } = this.rule;
    return wholeNumbers(this.fixed, events, (t) => of(1 / (propensity?.[t] ?? Number.NaN)));
  }

  carry(archive: Archive): void {
    this.known = null;
    this.range.carry(archive);
  }

  private get steps(): NonNullable<typeof this.known> {
    if (this.known === null) {
      const fixed = this.drawn ? twoWords(this.range) : fixedPoint(this.range);
      const most = BigInt(Math.round(this.range.high / 2 ** fixed.exponent));
      this.known = { fixed, factor: { name: this.rule.name, most } };
    }
    return this.known;
  }
}
