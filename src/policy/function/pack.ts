/** Functions as a choice matrix: each is asked once per distinct (context, candidate set). */

import { InputError } from '../../errors.js';
import { contextCells } from '../../log/cells.js';
import type { EventLog } from '../../log/event-log.js';
import { poolPlace } from '../../log/feature-rows.js';
import { pathText } from '../../options/path-text.js';
import { knownArms } from '../arm-names.js';
import { choiceBytes, emptyChoices } from '../compiled.js';
import type { PolicyCompiler, PolicyFamily, SpecPlace } from '../family.js';
import type { FunctionSpec, FunctionSurroundings, PolicyFunction } from '../functions.js';
import { shown } from '../spec-faults.js';
import { functionSchema } from './spec.js';

const NONE = -1;

export const functions: PolicyFamily<FunctionSpec> = {
  name: 'function',
  summary: 'any function of context and candidates (in code)',
  schema: functionSchema,
  computes: true,
  keyColumns: () => [],
  async compile(spec, log, _files, place) {
    const names = Object.keys(spec.functions);
    const cells = contextCells(log);
    const choices = emptyChoices(names.length, cells.count, log.arms.ids.length);
    const ask = asker(log);
    names.forEach((name, policy) => {
      const choose = spec.functions[name] as PolicyFunction;
      for (let cell = 0; cell < cells.count; cell++) {
        const event = cells.event === null ? cell : cells.event[cell];
        const arm = ask(name, choose, event, place);
        if (arm !== NONE) choices[policy * cells.count + cell] = arm;
      }
    });
    const { count, of } = cells;
    return { kind: 'matrix', family: 'function', policies: names.length, names, cells: { count, of }, choices };
  },
  async open(spec, { head }, files, place): Promise<PolicyCompiler> {
    const policies = Object.keys(spec.functions).length;
    return {
      policies,
      held: 0,
      perEvent: policies * choiceBytes(head.arms.ids.length),
      compile: (batch) => functions.compile(spec, batch, files, place),
      warnings: () => [],
      carry: () => {},
    };
  },
};

/** Asks a function for its arm index at an event, NONE for none. */
function asker(log: EventLog): (name: string, choose: PolicyFunction, event: number, place: SpecPlace) => number {
  const { contexts, pools, arms, firstEvent = 0 } = log;
  const d = contexts.dimension;
  /** Pool of the event in hand. */
  let poolInHand = 0;
  const surroundings: FunctionSurroundings = Object.freeze({
    ids: arms.ids,
    columns: contexts.columns,
    armFeatures: log.armFeatures,
    featuresOf: (arm: number) => featuresOf(log, poolInHand, arm),
  });
  const candidates = Array.from({ length: pools.count }, (_, set) =>
    Object.freeze(Array.from(pools.arms.subarray(pools.offsets[set], pools.offsets[set + 1]))),
  );
  // A copy, filled for every call: a function that writes to its context must not change the log or its neighbours.
  const context = new Float64Array(d);
  return (name, choose, event, place) => {
    const row = contexts.row === null ? event : contexts.row[event];
    context.set(contexts.values.subarray(row * d, (row + 1) * d));
    const set = pools.pool === null ? 0 : pools.pool[event];
    poolInHand = set;
    const where = { file: place.file, path: pathText(place.path, ['functions', name]) };
    let answer: unknown;
    try {
      answer = choose(context, candidates[set] as readonly number[], surroundings);
    } catch (cause) {
      const got = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
      throw new InputError(
        { ...where, problem: `policy "${name}" failed at event ${firstEvent + event}`, got },
        { cause },
      );
    }
    if (answer === null) return NONE;
    if (typeof answer === 'number' && Number.isInteger(answer) && answer >= 0 && answer < arms.ids.length)
      return answer;
    const index = typeof answer === 'string' ? arms.index.get(answer) : undefined;
    if (index !== undefined) return index;
    const problem = `policy "${name}" returned no arm of the log at event ${firstEvent + event}`;
    if (typeof answer === 'string')
      throw new InputError({ ...where, problem, got: `"${answer}"`, ...knownArms(log, answer) });
    const needed = `an arm index from 0 to ${arms.ids.length - 1}, an arm id as text, or null for none`;
    const hint = answer === undefined ? 'does the function return its choice?' : undefined;
    throw new InputError({
      ...where,
      problem,
      got: answer instanceof Promise ? 'a promise' : shown(answer),
      needed,
      hint,
    });
  };
}

/** Features of an arm as a pool shows it. */
function featuresOf({ pools, armFeatures }: EventLog, pool: number, arm: number): Float64Array {
  const place = poolPlace(pools, pool, arm);
  if (place < 0) throw new RangeError(`arm index ${arm} is not a candidate here`);
  if (armFeatures === null) return new Float64Array(0);
  const { dimension, values, row } = armFeatures;
  const at = (row === null ? arm : row[place]) * dimension;
  return Float64Array.from(values.subarray(at, at + dimension));
}
