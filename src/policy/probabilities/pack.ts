/** Probabilities from a file, looked up at the logged arm. */

import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { listNames } from '../../names/order.js';
import { plural } from '../../words.js';
import { candidateRange, type DrawnPolicies } from '../drawn/drawn.js';
import { type EventMatrix, readMatrix } from '../event-matrix.js';
import { rowsOfEvents } from '../event-rows.js';
import {
  compileWhole,
  type LogSpan,
  type PolicyCompiler,
  type PolicyFamily,
  type SpecFiles,
  type SpecPlace,
} from '../family.js';
import { namedFile, shown, specFault } from '../spec-faults.js';
import { type ProbabilitiesSpec, probabilitiesSchema } from './spec.js';

/** Probabilities of the candidates of an event sum to 1 but for this, and none is larger by more. */
const TOLERANCE = 1e-6;

export const probabilities: PolicyFamily<ProbabilitiesSpec> = {
  name: 'probabilities',
  summary: 'policies that draw with probabilities computed elsewhere, a row per event (.npy or Parquet)',
  schema: probabilitiesSchema,
  computes: false,
  keyColumns: ({ rows }) => (rows === undefined ? [] : [rows]),
  compile: (spec, log, files, place) => compileWhole((span) => openProbabilities(spec, span, files, place), log),
  open: openProbabilities,
};

async function openProbabilities(
  spec: ProbabilitiesSpec,
  span: LogSpan,
  files: SpecFiles,
  place: SpecPlace,
): Promise<PolicyCompiler> {
  if (spec.rows !== undefined && spec.of === 'logged')
    throw specFault(place, ['rows'], {
      problem: 'events of one context have different arms logged, and so no row in common',
      got: `"of": "logged" with "rows": ${JSON.stringify(spec.rows)}`,
      needed: '"of": "arms", the probability of every arm; or a row per event, without "rows"',
    });
  const matrix = await readMatrix('probabilities', files, spec.file, namedFile(files, spec.file, place, 'file'));
  const columns = spec.of === 'arms' ? armColumns(matrix, span.head) : null;
  const policies = columns === null ? matrix.columns : 1;
  if (policies === 0)
    throw new InputError({ file: matrix.file, problem: 'probabilities hold no policy', got: 'no columns' });
  if (matrix.names === null && !matrix.isFloat) throw notReal(matrix);
  if (spec.names !== undefined && spec.names.length !== policies) {
    const needed = spec.of === 'arms' ? '1, as columns are arms' : `${policies}, one per column`;
    throw specFault(place, ['names'], { problem: 'wrong number of names', got: String(spec.names.length), needed });
  }
  const { rowsOf, warnings } = rowsOfEvents('probabilities', matrix, span, place.path, spec.rows);
  const fallback = (i: number): string =>
    (columns === null ? matrix.names?.[i] : undefined) ?? (policies === 1 ? 'probabilities' : `probabilities ${i}`);
  const names = spec.names ?? Array.from({ length: policies }, (_, i) => fallback(i));
  const arms = span.head.arms.ids.length;
  /** Of rows that many events share, those that were checked with a candidate set. */
  const checked = spec.rows === undefined ? null : new Set<number>();
  /** Rows might be those of one policy after all; of the events so far. */
  let sumsToOne = columns === null && policies === arms && arms > 1;
  return {
    policies,
    held: matrix.bytes,
    perEvent: 0,
    compile: async (batch): Promise<DrawnPolicies> => {
      const rowOf = rowsOf(batch);
      // Sums may be above 1 by what rounding left.
      const at = (event: number, column: number): number => Math.min(1, matrix.at(rowOf(event), column) as number);
      if (columns === null) sumsToOne = checkLogged(matrix, batch, rowOf) && sumsToOne;
      else checkArms(matrix, batch, rowOf, columns, checked);
      const { arms } = batch.pools;
      return {
        ...{ kind: 'drawn', family: 'probabilities', policies, names },
        probabilities: {
          logged: (policy, event) => at(event, columns === null ? policy : columns[batch.arm[event]]),
          candidates:
            columns === null
              ? null
              : (_, event, out) => {
                  const [from, to] = candidateRange(batch, event);
                  for (let i = from; i < to; i++) out[i - from] = at(event, columns[arms[i]]);
                },
        },
      };
    },
    warnings: () => [
      ...warnings,
      ...(sumsToOne
        ? [
            `${place.path}: there are as many columns as arms, and every row sums to 1; if columns are arms, this is one policy: "of": "arms"`,
          ]
        : []),
    ],
    carry: (archive) => {
      sumsToOne = archive.flag(sumsToOne);
    },
  };
}

/** The column of each arm. @throws InputError where arms have none. */
function armColumns({ file, columns, names }: EventMatrix, { arms: { ids } }: EventLog): readonly number[] {
  if (names !== null) {
    const missing = ids.filter((id) => !names.includes(id));
    const more = names.filter((name) => !ids.includes(name));
    if (missing.length === 0 && more.length === 0) return ids.map((id) => names.indexOf(id));
    throw new InputError({
      file,
      problem: missing.length > 0 ? 'arms of the log have no column' : 'columns are no arms of the log',
      got: `columns ${listNames(names)}`,
      needed: `a column for each arm, named by its id: ${listNames(ids)}`,
    });
  }
  if (columns === ids.length) return ids.map((_, arm) => arm);
  throw new InputError({
    file,
    problem: 'probabilities of arms have the wrong number of columns for this log',
    got: plural(columns, 'column'),
    needed: `${ids.length}, one per arm, in the order of the log`,
    hint: 'if columns are policies, and entries their probability of the logged arm: "of": "logged"',
  });
}

function notReal({ file, dtype }: EventMatrix): InputError {
  return new InputError({
    file,
    problem: 'probabilities must be real numbers',
    got: `dtype ${dtype}`,
    needed: 'float64 or float32',
    hint: 'choices, which are whole numbers, are of the family "choices"; 0 and 1: pi.astype(np.float64)',
  });
}

/** @returns whether every row sums to 1. @throws InputError for an entry that is no probability. */
function checkLogged(matrix: EventMatrix, { events }: EventLog, rowOf: (event: number) => number): boolean {
  let sumsToOne = true;
  for (let event = 0; event < events; event++) {
    const row = rowOf(event);
    let sum = 0;
    for (let column = 0; column < matrix.columns; column++) sum += entry(matrix, row, column);
    sumsToOne &&= Math.abs(sum - 1) <= TOLERANCE;
  }
  return sumsToOne;
}

/** @throws InputError for an entry that is no probability, for rows that do not sum to 1, and arms that are no candidates. */
function checkArms(
  matrix: EventMatrix,
  log: EventLog,
  rowOf: (event: number) => number,
  columns: readonly number[],
  checked: Set<number> | null,
): void {
  const isCandidate = new Uint8Array(columns.length);
  for (let event = 0; event < log.events; event++) {
    const row = rowOf(event);
    if (checked !== null) {
      const pair = row * log.pools.count + (log.pools.pool?.[event] ?? 0);
      if (checked.has(pair)) continue;
      checked.add(pair);
    }
    const [from, to] = candidateRange(log, event);
    const candidates = log.pools.arms.subarray(from, to);
    for (const arm of candidates) isCandidate[arm] = 1;
    let sum = 0;
    for (let arm = 0; arm < columns.length; arm++) {
      const probability = entry(matrix, row, columns[arm]);
      sum += probability;
      if (isCandidate[arm] === 1 || probability === 0) continue;
      throw new InputError({
        ...placeOf(matrix, row, columns[arm]),
        problem: 'an arm that is no candidate of the event has a probability',
        got: `${probability} of arm ${JSON.stringify(log.arms.ids[arm])}`,
        needed: `0; candidates are ${listNames(Array.from(candidates, (one) => log.arms.ids[one]))}`,
      });
    }
    for (const arm of candidates) isCandidate[arm] = 0;
    if (Math.abs(sum - 1) <= TOLERANCE) continue;
    throw new InputError({
      ...placeOf(matrix, row),
      problem: 'the probabilities of the candidates do not sum to 1',
      got: String(sum),
      needed: `1 ± ${TOLERANCE}`,
      hint: 'scores become probabilities by np.exp(s) / np.exp(s).sum(axis=1, keepdims=True), over the candidates',
    });
  }
}

function entry(matrix: EventMatrix, row: number, column: number): number {
  const found = matrix.at(row, column);
  if (typeof found === 'number' && found >= 0 && found <= 1 + TOLERANCE) return found;
  throw new InputError({
    ...placeOf(matrix, row, column),
    problem: 'not a probability',
    got: shown(found),
    needed: 'a number from 0 to 1',
    hint: typeof found === 'number' && found < 0 ? 'a log-probability? np.exp(…) of it' : undefined,
  });
}

function placeOf({ file, names }: EventMatrix, row: number, column?: number) {
  return { file, row, ...(column === undefined ? {} : { column: names?.[column] ?? String(column) }) };
}
