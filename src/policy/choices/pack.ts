/** Precomputed choices as a choice matrix with a cell per event. */

import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { plural } from '../../words.js';
import { knownArms } from '../arm-names.js';
import { choiceBytes, emptyChoices } from '../compiled.js';
import { type Entry, type EventMatrix, readMatrix } from '../event-matrix.js';
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
import { type ChoicesSpec, choicesSchema } from './spec.js';

/** Events copied at a time, so that rows of the file stay in cache while policies are walked. */
const TILE = 512;
const NONE = -1;

export const choices: PolicyFamily<ChoicesSpec> = {
  name: 'choices',
  summary: 'choices computed elsewhere, a row per event and a column per policy (.npy or Parquet)',
  schema: choicesSchema,
  computes: false,
  keyColumns: ({ rows }) => (rows === undefined ? [] : [rows]),
  compile: (spec, log, files, place) => compileWhole((span) => openChoices(spec, span, files, place), log),
  open: openChoices,
};

async function openChoices(
  spec: ChoicesSpec,
  span: LogSpan,
  files: SpecFiles,
  place: SpecPlace,
): Promise<PolicyCompiler> {
  const matrix = await readMatrix('choices', files, spec.file, namedFile(files, spec.file, place, 'file'));
  requireWhole(matrix);
  const { columns: policies } = matrix;
  if (policies === 0) throw new InputError({ file: matrix.file, problem: 'choices hold no policy', got: 'no columns' });
  if (spec.names !== undefined && spec.names.length !== policies) {
    const needed = `${policies}, one per column of the choices`;
    throw specFault(place, ['names'], { problem: 'wrong number of names', got: String(spec.names.length), needed });
  }
  const { rowsOf, warnings } = rowsOfEvents('choices', matrix, span, place.path, spec.rows);
  const fallback = (i: number) => matrix.names?.[i] ?? (policies === 1 ? 'choices' : `choices ${i}`);
  const names = spec.names ?? Array.from({ length: policies }, (_, i) => fallback(i));
  const arm = armOf(span.head, spec.as ?? (matrix.names === null ? 'index' : 'id'));
  return {
    policies,
    held: matrix.bytes,
    perEvent: policies * choiceBytes(span.head.arms.ids.length),
    compile: async (batch) => ({
      kind: 'matrix',
      family: 'choices',
      policies,
      names,
      cells: { count: batch.events, of: null },
      choices: transposed(matrix, batch, rowsOf(batch), arm),
    }),
    warnings: () => warnings,
    carry: () => {},
  };
}

/** @throws InputError for floats of a .npy file. */
function requireWhole({ file, isFloat, dtype }: EventMatrix): void {
  if (!isFloat) return;
  // Floats here are more often scores saved by mistake than choices.
  const hint = 'convert them: choices.astype(np.int32)';
  const got = `dtype ${dtype}`;
  throw new InputError({
    file,
    problem: 'choices must be integers',
    got,
    needed: 'int8..int64 or uint8..uint64',
    hint,
  });
}

/** [L, P] of entries → [P, L] of arm indices. */
function transposed(
  matrix: EventMatrix,
  log: EventLog,
  rowOf: (event: number) => number,
  armOf: (entry: Entry) => number | BadEntry,
): Uint16Array | Uint32Array {
  const { events } = log;
  const out = emptyChoices(matrix.columns, events, log.arms.ids.length);
  // Few distinct entries are looked at: each is resolved once.
  const known = new Map<Entry, number>();
  for (let start = 0; start < events; start += TILE) {
    const end = Math.min(start + TILE, events);
    for (let policy = 0; policy < matrix.columns; policy++) {
      for (let event = start; event < end; event++) {
        const row = rowOf(event);
        const entry = matrix.at(row, policy);
        let arm = known.get(entry);
        if (arm === undefined) {
          const found = armOf(entry);
          if (typeof found !== 'number') throw badEntry(matrix, row, policy, entry, found);
          arm = found;
          known.set(entry, arm);
        }
        if (arm !== NONE) out[policy * events + event] = arm;
      }
    }
  }
  return out;
}

/** Why an entry names no arm. */
interface BadEntry {
  problem: string;
  needed: string;
  hint?: string | undefined;
}

/** Arm index of an entry, or NONE, or why it has none. */
function armOf(log: EventLog, as: 'index' | 'id'): (entry: Entry) => number | BadEntry {
  const arms = log.arms.ids.length;
  if (as === 'id') {
    return (entry) => {
      if (entry === null || Number.isNaN(entry)) return NONE;
      const id = String(entry);
      const index = log.arms.index.get(id);
      if (index !== undefined) return index;
      if (id === '-1') return NONE;
      return { problem: 'unknown arm', ...knownArms(log, id) };
    };
  }
  return (entry) => {
    if (entry === null || Number.isNaN(entry)) return NONE;
    const index = typeof entry === 'bigint' ? Number(entry) : entry;
    if (index === -1) return NONE;
    if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < arms) return index;
    const needed = `0 to ${arms - 1} (the log's ${plural(arms, 'arm')}), or -1 for no choice`;
    if (typeof index === 'string')
      return { problem: 'choice is no arm index', needed, hint: 'for arm ids, "as": "id"' };
    return { problem: 'arm index is out of range', needed, hint: 'for arm ids instead of indices, "as": "id"' };
  };
}

function badEntry(matrix: EventMatrix, row: number, policy: number, entry: Entry, bad: BadEntry): InputError {
  return new InputError({
    file: matrix.file,
    row,
    column: matrix.names?.[policy] ?? String(policy),
    ...bad,
    got: shown(entry),
  });
}
