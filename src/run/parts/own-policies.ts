/** Which policies of a set are a part's own. */

import type { AnyPolicies } from '../../policy/drawn/drawn.js';
import type { PolicyCompiler } from '../../policy/family.js';
import { slicePacked } from '../../policy/slice.js';
import type { PartSpan } from './plan.js';

export class OwnPolicies {
  /** Own policies in all. */
  readonly policies: number;
  /** Entries of the set that have own policies, by index. */
  readonly entries: readonly number[];
  /** First own policy of each entry among its own, and the one behind the last. */
  private readonly ranges: readonly (readonly [number, number])[];
  /** What was cut, and what of: engines know policies again by the object. */
  private readonly cuts: { readonly whole: AnyPolicies; readonly own: AnyPolicies }[] = [];

  constructor(
    private readonly compilers: readonly Pick<PolicyCompiler, 'policies' | 'like'>[],
    readonly span: PartSpan,
  ) {
    const [from, to] = span.rows;
    let first = 0;
    this.ranges = compilers.map(({ policies }) => {
      const within = (row: number): number => Math.min(policies, Math.max(0, row - first));
      const range = [within(from), within(to)] as const;
      first += policies;
      return range;
    });
    this.policies = to - from;
    this.entries = [...compilers.keys()].filter((entry) => this.count(entry) > 0);
  }

  /** Of an entry. */
  range(entry: number): readonly [from: number, to: number] {
    return this.ranges[entry];
  }

  count(entry: number): number {
    const [from, to] = this.ranges[entry];
    return to - from;
  }

  /** The own ones of an entry's policies. */
  of(entry: number, whole: AnyPolicies): AnyPolicies {
    const before = this.cuts[entry];
    if (before?.whole === whole) return before.own;
    const own = slicePacked(whole, ...this.ranges[entry]);
    this.cuts[entry] = { whole, own };
    return own;
  }

  /** An earlier entry that chooses what this one mixes, for the same of its policies; −1: none. */
  like(entry: number): number {
    const { like = -1 } = this.compilers[entry];
    return like >= 0 && this.ranges[like].join() === this.ranges[entry].join() ? like : -1;
  }
}
