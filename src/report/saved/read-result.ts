/** A saved result, from its text: checked, so that a report says nothing of what is not there. */

import type { z } from 'zod';
import { InputError } from '../../errors.js';
import { parseJson } from '../../policy/json-text.js';
import { REPLAY_VERSION, type ReplayResult } from '../replay-result.js';
import { type EvaluationResult, RESULT_VERSION } from '../result.js';
import { type Disagreement, evaluationFault, replayFault } from './agreement.js';
import { EVALUATION, REPLAY } from './schema.js';

/** A result and which command it is of. */
export type SavedResult =
  | { readonly kind: 'evaluation'; readonly result: EvaluationResult }
  | { readonly kind: 'replay'; readonly result: ReplayResult };

const WANTED = 'a result of evaluate or replay, as --format json writes it';
const AGAIN = 'make it anew: hindcast evaluate … --out result.json, or hindcast replay …';

/** @throws InputError that says where the text is no result, and what it is. */
export function readResult(text: string, file: string): SavedResult {
  const value = parseJson(text, file, 'a result, as hindcast evaluate … --out result.json writes it');
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const { hindcast, version, policies, learners } = (isObject ? value : {}) as Record<string, unknown>;
  if (typeof hindcast !== 'string' || (policies === undefined) === (learners === undefined))
    throw new InputError({
      file,
      problem: 'this JSON is no result of hindcast',
      got: described(value),
      needed: WANTED,
      hint: AGAIN,
    });
  const kind = policies === undefined ? 'replay' : 'evaluation';
  const wanted = kind === 'replay' ? REPLAY_VERSION : RESULT_VERSION;
  if (version !== wanted) throw otherVersion(file, version, wanted, hindcast);
  const result = checked(kind === 'replay' ? REPLAY : EVALUATION, value, file);
  if (kind === 'replay') {
    const replayed = result as unknown as ReplayResult;
    refuse(replayFault(replayed), file);
    return { kind, result: replayed };
  }
  const evaluated = result as unknown as EvaluationResult;
  refuse(evaluationFault(evaluated), file);
  return { kind, result: evaluated };
}

function otherVersion(file: string, version: unknown, wanted: number, hindcast: string): InputError {
  const isNewer = typeof version === 'number' && version > wanted;
  return new InputError({
    file,
    path: 'version',
    problem: `the result has ${isNewer ? 'a newer' : 'another'} layout, in which fields mean something else`,
    got: `${JSON.stringify(version) ?? 'none'}, by hindcast ${hindcast}`,
    needed: String(wanted),
    hint: isNewer ? 'the version of hindcast that made it, or a newer one' : AGAIN,
  });
}

function checked(schema: z.ZodType, value: unknown, file: string): unknown {
  const parsed = schema.safeParse(value);
  // As it came, with its members in their order.
  if (parsed.success) return value;
  const [{ path, message }] = parsed.error.issues;
  const got = path.reduce<unknown>(
    (part, key) => (part as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
  throw new InputError({
    file,
    path: path.reduce<string>(
      (place, key) =>
        typeof key === 'number' ? `${place}[${key}]` : `${place}${place === '' ? '' : '.'}${String(key)}`,
      '',
    ),
    problem: 'this part of the result is missing, or is not what a result has there',
    got: described(got),
    needed: message.replace(/^Invalid input: expected /, '').replace(/, received .*$/, ''),
    hint: AGAIN,
  });
}

function refuse(fault: Disagreement | null, file: string): void {
  if (fault === null) return;
  throw new InputError({ file, problem: 'parts of this result do not belong together', ...fault, hint: AGAIN });
}

/** A value in a few characters. */
function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value);
    const few = keys.slice(0, 5).map((key) => JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key));
    return keys.length === 0 ? 'an empty object' : `an object with ${few.join(', ')}${keys.length > 5 ? ', …' : ''}`;
  }
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
