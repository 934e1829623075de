/** Learner sets: a list of entries, each an algorithm with parameters; a list in a parameter spans a grid of settings. */

import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { nearestName } from '../../names/order.js';
import { checkOptions, option } from '../../options/check-options.js';
import type { LogSpan, SpecFiles, SpecPlace } from '../../policy/family.js';
import { parseJson } from '../../policy/json-text.js';
import { shown, specFault, validate } from '../../policy/spec-faults.js';
import { type CustomLearner, customAlgorithm, isCustom } from '../custom.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Learner } from '../learner.js';
import type { StateArray } from '../state-arrays.js';
import { ALGORITHMS, algorithmNamed } from './algorithms.js';
import { type Combination, combinations } from './grid.js';
import { pathedFault, settingName, uniqueNames } from './setting-names.js';

export type { CustomLearner };

type Entries = typeof import('./entries.js');

/** An entry of any algorithm. */
export type AlgorithmInput = { [Name in keyof Entries]: ReturnType<Entries[Name]> }[keyof Entries];

/** An entry of a learner set, as JSON or code writes it: an algorithm and its parameters, each a value or a list. */
export type LearnerInput = AlgorithmInput | CustomLearner;

/** One algorithm with one choice of its parameters. */
export interface LearnerSetting {
  readonly algorithm: Algorithm;
  /** Validated, defaults filled in. */
  readonly parameters: object;
  /** Unique in its set, e.g. `linucb alpha=0.25`. */
  readonly name: string;
  /** True for a learner from code, which no worker thread can be sent. */
  readonly custom: boolean;
  readonly place: SpecPlace;
}

/** At least one. */
export type LearnerSet = readonly LearnerSetting[];

/** A setting that is ready for a log. */
export interface PreparedLearner {
  readonly name: string;
  /** Where its entry stands. */
  readonly place: SpecPlace;
  /** Name in the table of algorithms; `null` for a learner from code. */
  readonly algorithm: string | null;
  /** What `create` of the algorithm takes: plain data. */
  readonly parameters: object;
  /** Parameters as validated, for results. */
  readonly given: object;
  readonly kind: Algorithm['kind'];
  /** See `Algorithm.arrays`; absent: none. */
  readonly arrays?: (log: EventLog, least: boolean) => readonly StateArray[];
  /** A fresh learner. */
  readonly create: (log: EventLog, draws: Draws) => Learner;
}

const EXAMPLE = '[{ "algorithm": "linucb", "alpha": [0.25, 1] }, { "algorithm": "ucb1" }]';
const MOST_SETTINGS = 65_536;

/**
 * Validates a learner set and spans its grids: every combination of the lists in an entry's parameters, the last key
 * varying fastest.
 *
 * @throws InputError with the path of the fault, e.g. `learners.json, [3].alpha[1]: …`.
 */
export function parseLearnerSet(json: unknown, place: { file?: string } = {}): LearnerSet {
  checkOptions(place, { file: option.text }, 'place');
  const { file } = place;
  if (!Array.isArray(json)) {
    const hint =
      typeof json === 'object' && json !== null && 'algorithm' in json ? 'put the entry in a list: [ … ]' : undefined;
    const problem = 'a learner set is a list of entries';
    throw new InputError({ file, problem, got: shown(json), needed: EXAMPLE, hint });
  }
  if (json.length === 0) throw new InputError({ file, problem: 'the learner set is empty', needed: EXAMPLE });
  const settings: LearnerSetting[] = [];
  for (const [i, entry] of json.entries()) {
    const at = { file, path: `[${i}]` };
    for (const setting of parseEntry(entry, at)) settings.push(setting);
    if (settings.length > MOST_SETTINGS) throw tooMany(at, settings.length);
  }
  return uniqueNames(settings);
}

/** `parseLearnerSet` for JSON text. @throws InputError, for syntax errors with line and column. */
export function parseLearnerSetText(text: string, place: { file?: string } = {}): LearnerSet {
  return parseLearnerSet(parseJson(text, place.file, `a learner set: ${EXAMPLE}`), place);
}

/** Log columns that the learners look up by value, each once: readers keep these. */
export function learnerKeyColumns(set: LearnerSet): readonly string[] {
  return [...new Set(set.flatMap(({ algorithm, parameters }) => algorithm.keyColumns?.(parameters) ?? []))];
}

/**
 * Checks that the log has what each learner needs, and does the work that comes before replicas.
 *
 * @param files reads files that parameters name.
 * @throws InputError with the path of the entry.
 */
export async function prepareLearners(set: LearnerSet, log: EventLog, files?: SpecFiles): Promise<PreparedLearner[]> {
  if (log.arms.ids.length === 0) throw noArms();
  const prepared: PreparedLearner[] = [];
  // One after the other: the first fault in the order of the set is the one to report.
  for (const setting of set) {
    const { algorithm, parameters, place } = setting;
    try {
      algorithm.check?.(parameters, log);
      prepared.push(preparedOf(setting, (await algorithm.prepare?.(parameters, log, files)) ?? parameters));
    } catch (error) {
      throw pathedFault(error, place);
    }
  }
  return prepared;
}

/** Settings for each batch of a log. @throws InputError with the path of the entry. */
export type LearnersOf = (batch: EventLog) => Promise<PreparedLearner[]>;

/**
 * The same for a log that is gone through batch by batch.
 *
 * @returns the settings for each batch; those for `span.head` make learners that say their state.
 */
export async function openLearners(set: LearnerSet, span: LogSpan, files?: SpecFiles): Promise<LearnersOf> {
  const { head } = span;
  if (head.arms.ids.length === 0) throw noArms();
  const opened: ((batch: EventLog) => Promise<object>)[] = [];
  for (const { algorithm, parameters, place } of set) {
    try {
      algorithm.check?.(parameters, head);
      opened.push((await algorithm.open?.(parameters, span, files)) ?? (async () => parameters));
    } catch (error) {
      throw pathedFault(error, place);
    }
  }
  return async (batch) => {
    const prepared: PreparedLearner[] = [];
    for (const [i, setting] of set.entries()) {
      try {
        prepared.push(preparedOf(setting, await opened[i](batch)));
      } catch (error) {
        throw pathedFault(error, setting.place);
      }
    }
    return prepared;
  };
}

function preparedOf({ algorithm, parameters, name, custom, place }: LearnerSetting, ready: object): PreparedLearner {
  return {
    name,
    place,
    algorithm: custom ? null : algorithm.name,
    parameters: ready,
    given: parameters,
    kind: algorithm.kind,
    arrays: (log, least) => algorithm.arrays?.(ready, log, least) ?? [],
    create: (events, draws) => algorithm.create(ready, events, draws),
  };
}

function noArms(): InputError {
  return new InputError({ problem: 'the log has no arms, so no learner can be replayed on it' });
}

function parseEntry(entry: unknown, place: SpecPlace): LearnerSetting[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    const needed = 'an object such as { "algorithm": "ucb1" }';
    throw specFault(place, [], { problem: 'not an entry of a learner set', got: shown(entry), needed });
  }
  if (isCustom(entry)) {
    const algorithm = customAlgorithm(entry, place);
    return [{ algorithm, parameters: {}, name: algorithm.name, custom: true, place }];
  }
  const { algorithm: name, ...given } = entry as Readonly<Record<string, unknown>>;
  const algorithm = typeof name === 'string' ? algorithmNamed(name) : undefined;
  if (algorithm === undefined) throw unknownAlgorithm(name, place);
  const grid = combinations(algorithm, given, place);
  if (grid.length > MOST_SETTINGS) throw tooMany(place, grid.length);
  return grid.map((combination) => ({
    algorithm,
    parameters: validated(algorithm, combination, place),
    name: settingName(algorithm.name, given, combination.values),
    custom: false,
    place,
  }));
}

function validated(algorithm: Algorithm, { values, index }: Combination, place: SpecPlace): object {
  try {
    return validate(algorithm.schema, values, place);
  } catch (error) {
    throw pathedFault(error, place, index);
  }
}

function unknownAlgorithm(name: unknown, place: SpecPlace): InputError {
  const known = ALGORITHMS.map((one) => one.name);
  const near = typeof name === 'string' ? nearestName(name, known) : null;
  return specFault(place, ['algorithm'], {
    problem: name === undefined ? 'missing' : 'unknown algorithm',
    got: name === undefined ? undefined : shown(name),
    needed: `one of: ${known.join(', ')} (in code: objects with a name and create too)`,
    hint: near === null ? undefined : `did you mean "${near}"?`,
  });
}

function tooMany(place: SpecPlace, count: number): InputError {
  const needed = `at most ${MOST_SETTINGS} in a set`;
  return specFault(place, [], { problem: 'the grid has too many settings', got: String(count), needed });
}
