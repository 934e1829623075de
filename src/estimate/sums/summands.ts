/**
 * What engines add up, made by an estimator once per log (or per batch): match columns hold a number per event, which counts
 * where the policy chose the logged arm; choice tables hold a number per arm, of which the one of the chosen arm counts, logged
 * or not. An engine returns the exact sum (or the maximum) of each for every policy and block. What the numbers mean is the
 * estimator's business.
 */

import { newWords } from './whole-numbers.js';

/** How a column's numbers become one: added up, or their maximum (0 without matches). */
export type Reduction = 'sum' | 'max';

/** A column without its numbers. */
export interface ColumnKind {
  readonly name: string;
  readonly reduce: Reduction;
}

/** One number per event. */
export interface MatchColumn extends ColumnKind {
  /** [L], whole numbers below 2³². A number of more bits is two columns, one per word: their sums are exact each. */
  readonly words: Uint32Array;
}

/**
 * A number per event and arm, of which that of the chosen arm counts. A choice that is none of the event's candidates, like no
 * choice, counts nothing: a table of ones tells how many events are left.
 */
export interface ChoiceTable extends ColumnKind {
  /** [R, K] row-major, whole numbers below 2³². */
  readonly words: Uint32Array;
  /** K: arms of the log. */
  readonly arms: number;
  /** Row of each event, [L]; `null`: event t has row t. */
  readonly row: Uint32Array | null;
}

/** What an engine adds up. */
export type Summand = MatchColumn | ChoiceTable;

export function isChoiceTable(summand: Summand): summand is ChoiceTable {
  return 'arms' in summand;
}

/** What a table has for an arm at event t. */
export function tableWord({ words, arms, row }: ChoiceTable, t: number, arm: number): number {
  return words[(row === null ? t : row[t]) * arms + arm];
}

/** The kinds of columns, without their numbers. */
export function kindsOf(columns: readonly ColumnKind[]): ColumnKind[] {
  return columns.map(({ name, reduce }) => ({ name, reduce }));
}

/** A column of which every number is made from one that the log has. */
export function mappedColumn(name: string, of: Uint32Array, word: (value: number) => number): MatchColumn {
  const words = newWords(of.length);
  for (let t = 0; t < of.length; t++) words[t] = word(of[t]);
  return { name, reduce: 'sum', words };
}
