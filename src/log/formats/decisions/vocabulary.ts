/** Names of features as they come: which become columns, which name an arm. */

import { InputError } from '../../../errors.js';
import { badRow, shown } from './rows.js';

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
    hint: "select columns with --features, e.g. --features 'User^*,Action^price' (features in code), or raise --feature-limit (featureLimit)",
  });
}

/** Longest list that is sorted by insertion: faster where lists are short, and those that come are nearly in order. */
const SHORT = 64;

/** The features of one example: values of a feature that is there several times add up. */
export class FeatureBag {
  /** Sum per feature of the vocabulary, where `has` says that there is one. */
  private sums = new Float64Array(256);
  private has = new Uint8Array(256);
  /** Features of the example, in the order in which they came. */
  private readonly present: number[] = [];
  private readonly bits = new Float64Array(1);
  private readonly halves = new Uint32Array(this.bits.buffer);

  constructor(readonly vocabulary: Vocabulary) {}

  clear(): void {
    for (const number of this.present) this.has[number] = 0;
    this.present.length = 0;
  }

  /** @param got the feature as written, for messages. */
  add(namespace: string, name: string, value: number, got = name): void {
    const number = this.vocabulary.number(namespace, name);
    if (!Number.isFinite(value)) notFinite(got);
    if (number < 0) return;
    if (number >= this.has.length) this.grow(number);
    if (this.has[number] === 0) {
      this.has[number] = 1;
      this.present.push(number);
      this.sums[number] = value;
      return;
    }
    const sum = this.sums[number] + value;
    if (!Number.isFinite(sum)) notFinite(got);
    this.sums[number] = sum;
  }

  private grow(number: number): void {
    const length = Math.max(number + 1, this.has.length * 2);
    const sums = new Float64Array(length);
    sums.set(this.sums);
    this.sums = sums;
    const has = new Uint8Array(length);
    has.set(this.has);
    this.has = has;
  }

  /** Numbers of the features, zeros included. */
  numbers(): readonly number[] {
    return this.present;
  }

  /** Appends `number, value (two words)` of every feature that is not 0, ascending by number. */
  appendTo(words: number[]): void {
    const { present, sums, bits, halves } = this;
    sortNumbers(present);
    for (let i = 0; i < present.length; i++) {
      const value = sums[present[i]];
      if (value === 0) continue;
      bits[0] = value;
      words.push(present[i], halves[0], halves[1]);
    }
  }
}

function sortNumbers(numbers: number[]): void {
  if (numbers.length > SHORT) {
    numbers.sort((a, b) => a - b);
    return;
  }
  for (let i = 1; i < numbers.length; i++) {
    const number = numbers[i];
    let j = i - 1;
    for (; j >= 0 && numbers[j] > number; j--) numbers[j + 1] = numbers[j];
    numbers[j + 1] = number;
  }
}

function notFinite(got: string): never {
  badRow({ problem: 'feature is not a finite number', got: shown(got), needed: 'a finite number' });
}

/** Calls back for every feature of a list that `appendTo` made. */
export function eachFeature(
  words: ArrayLike<number>,
  from: number,
  visit: (number: number, value: number) => void,
): void {
  const bits = new Float64Array(1);
  const halves = new Uint32Array(bits.buffer);
  for (let i = from; i < words.length; i += 3) {
    halves[0] = words[i + 1];
    halves[1] = words[i + 2];
    visit(words[i], bits[0]);
  }
}
