/** Types and checks that the columns of a log made in code share. */

import { type Fault, InputError } from '../../errors.js';
import { listNames, nearestName } from '../../names/order.js';
import { plural } from '../../words.js';
import { idText } from '../build/arms.js';
import type { ArmDictionary } from '../event-log.js';

/** An identifier of an arm, user or key: text, or a number (written as JavaScript writes it). */
export type Id = string | number;

/** Rows of numbers: flat and row-major with their length, or an array of rows. */
export type Matrix =
  | {
      /** Row-major. */
      readonly values: ArrayLike<number>;
      /** Length of a row. */
      readonly dimension: number;
      /** Name of each column. */
      readonly columns?: readonly string[];
    }
  | ArrayLike<ArrayLike<number>>;

/**
 * Candidates: one list for all events, a list per event, or distinct lists (`pools`) and the number of each event's
 * list (`pool`). Entries are arm ids; arm indices where the logged arms are given as indices.
 */
export type Candidates =
  | ArrayLike<Id>
  | ArrayLike<ArrayLike<Id>>
  | {
      /** Distinct candidate sets. */
      readonly pools: ArrayLike<ArrayLike<Id>>;
      /** Set of each event, length L. */
      readonly pool: ArrayLike<number>;
    };

/**
 * Features of each candidate as it is shown, nested as the candidates are: in the place of each id a row of numbers. A list
 * for all events: rows; a list per event: rows per event; `pools`: rows per pool.
 */
export type CandidateFeatures =
  | CandidateRows
  | {
      /** Nested as the candidates are. */
      readonly rows: CandidateRows;
      /** Names of the features; default `z0`, `z1`, … */
      readonly columns?: readonly string[];
    };

type CandidateRows = ArrayLike<ArrayLike<number>> | ArrayLike<ArrayLike<ArrayLike<number>>>;

/** Throws for a value of a column. */
export function fail(column: string, row: number, fault: Fault): never {
  throw new InputError({ column, row, ...fault });
}

/** @throws InputError if a column has another length than the payoffs. */
export function checkLength(column: string, length: number, events: number): void {
  if (length === events) return;
  throw new InputError({
    column,
    problem: 'columns differ in length',
    got: `${plural(length, 'entry', 'entries')}`,
    needed: `${events}, the number of payoffs`,
  });
}

/** An identifier as text. @throws InputError for anything but text and finite numbers. */
export function checkedId(column: string, row: number, id: unknown): string {
  if (typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))) return idText(id);
  return fail(column, row, { problem: 'not an identifier', got: String(id), needed: 'text or a finite number' });
}

/** What to say of an arm that an explicit list does not have. */
export function unknownArm(id: string, arms: ArmDictionary): Fault {
  const near = nearestName(id, arms.ids);
  return {
    problem: 'arm is not in the given list of arms',
    got: JSON.stringify(id),
    needed: `one of ${listNames(arms.ids)}`,
    hint: near === null ? 'add it to the list, or leave the list out' : `did you mean ${JSON.stringify(near)}?`,
  };
}
