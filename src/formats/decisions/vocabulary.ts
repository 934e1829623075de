/** Names of features as they come: which become columns, which name an arm. */

import { InputError } from '../../errors.js';

/** Different names that are kept, at most. */
const MOST_NAMES = 1_000_000;

/** Names remembered as not wanted, so that patterns are not tried again; what is beyond is tried again each time. */
const MOST_IGNORED = 200_000;

const IGNORED = -1;

/** What a feature is wanted for. */
export interface Wanted {
  /** Its values are a column. */
  readonly column: boolean;
  /** It is looked up beside columns (keys, the arm's id). */
  readonly lookup: boolean;
}

/** Full name of a feature: `namespace^name`, or its name alone in the default namespace. */
export function fullName(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}^${name}`;
}

/** The features of contexts, or those of actions. Numbers are in order of appearance. */
export class Vocabulary {
  readonly names: string[] = [];
  /** Per number: may it be a column? */
  readonly isColumn: boolean[] = [];
  private readonly numbers = new Map<string, Map<string, number>>();
  private ignored = 0;

  /** @param what for messages: `context` or `action`. */
  constructor(
    readonly what: string,
    private readonly wanted: (name: string) => Wanted,
  ) {}

  /** Number of a feature, or −1 where it is wanted for nothing. */
  number(namespace: string, name: string): number {
    return this.numbers.get(namespace)?.get(name) ?? this.add(namespace, name);
  }

  private add(namespace: string, name: string): number {
    const full = fullName(namespace, name);
    const { column, lookup } = this.wanted(full);
    if (!column && !lookup) {
      if (this.ignored < MOST_IGNORED) {
        this.ignored++;
        this.remember(namespace, name, IGNORED);
      }
      return IGNORED;
    }
    if (this.names.length === MOST_NAMES) throw tooMany(this.what, `more than ${MOST_NAMES.toLocaleString('en')}`);
    const number = this.names.push(full) - 1;
    this.isColumn.push(column);
    this.remember(namespace, name, number);
    return number;
  }

  private remember(namespace: string, name: string, number: number): void {
    const names = this.numbers.get(namespace);
    if (names === undefined) this.numbers.set(namespace, new Map([[name, number]]));
    else names.set(name, number);
  }
}

/** A vocabulary too large for columns. */
export function tooMany(what: string, count: string, limit?: number, place: { file?: string; line?: number } = {}) {
  return new InputError({
    ...place,
    problem: `the log has too many ${what} features for a column each`,
    got: `${count} different ${what} features`,
    needed: limit === undefined ? 'fewer' : `at most ${limit.toLocaleString('en')}, the limit`,
    hint: "select columns with --features, e.g. --features 'User^*,Action^price' (in code: features), or raise --feature-limit (in code: featureLimit)",
  });
}
