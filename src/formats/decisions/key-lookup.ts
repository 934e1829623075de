/** Columns that are looked up by value: features of contexts whose name says them. */

import { InputError } from '../../errors.js';
import { listNames, nearestName } from '../../names/order.js';
import { eachFeature } from './feature-bag.js';

/** A key: what follows `name=` in a feature of the event's context, else the value of its feature `name`, else nothing. */
export class KeyLookup {
  /** By number of a feature: its level; `null`: its value is; `undefined`: it is another feature. */
  private readonly levels: (string | null | undefined)[] = [];

  /** @param names of features by number, a list that may grow. */
  constructor(
    readonly key: string,
    private readonly names: readonly string[],
  ) {}

  /** The level of a context's features, a list that `FeatureBag.appendTo` made. */
  of(context: ArrayLike<number>): string {
    let found = '';
    eachFeature(context, 0, (number, value) => {
      const level = this.level(number);
      if (level !== undefined) found = level ?? String(value);
    });
    return found;
  }

  private level(number: number): string | null | undefined {
    const { levels, names, key } = this;
    while (levels.length <= number) {
      const name = names[levels.length];
      levels.push(name === key ? null : name.startsWith(`${key}=`) ? name.slice(key.length + 1) : undefined);
    }
    return levels[number];
  }

  /** Some feature says the key. */
  get isKnown(): boolean {
    return this.names.some((_, number) => this.level(number) !== undefined);
  }

  /** @throws InputError where no feature says the key. */
  check(): void {
    const { key, names } = this;
    if (this.isKnown) return;
    const known = [...new Set(names.map((name) => name.split('=')[0]))].slice(0, 1000);
    const near = nearestName(key, known);
    throw new InputError({
      problem: `no context feature ${JSON.stringify(key)}, which a policy looks up`,
      needed: known.length === 0 ? 'events with context features' : `one of ${listNames(known)}`,
      hint: near === null ? 'correct the policy set' : `did you mean ${JSON.stringify(near)}?`,
    });
  }
}
