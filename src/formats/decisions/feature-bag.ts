/** Features of one example, and how they are kept: sparse, as lists of words. */

import { badRow, shown } from './rows.js';
import type { Vocabulary } from './vocabulary.js';

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
