/** Candidate sets whose arms show features of their own, from arrays: versions of arm features. */

import { type Fault, InputError } from '../../errors.js';
import { plural } from '../../words.js';
import { u32Column } from '../build/memory.js';
import { PoolBuilder } from '../build/pool-builder.js';
import type { ArmDictionary, ArmFeatureTable, PoolTable } from '../event-log.js';
import { badCandidates, candidateLists, listedArms, outsideCandidates } from './column-candidates.js';
import type { CandidateFeatures, Candidates, Id } from './column-checks.js';

type Rows = ArrayLike<ArrayLike<number>>;

/** Where a list of candidates stands, for messages. */
interface ListPlace {
  readonly column: string;
  readonly list: string;
  readonly row: number | undefined;
}

/**
 * Pools and arm features of a log made in code from what each candidate shows.
 *
 * @param byIndex candidates are arm indices, not ids.
 * @throws InputError for a missing, ragged or bad row of features, and whatever `candidates` alone would be refused for.
 */
export function versionColumns(
  candidates: Candidates | undefined,
  features: CandidateFeatures,
  byIndex: boolean,
  arms: ArmDictionary,
  arm: Uint32Array,
): { pools: PoolTable; armFeatures: ArmFeatureTable | null } {
  if (candidates === undefined) {
    throw new InputError({
      column: 'candidateFeatures',
      problem: 'features of candidates come without the candidates',
      needed: '`candidates`, nested alike: a row of features in the place of each id',
      hint: 'where no arm has features that change, give `armFeatures`, a row per arm',
    });
  }
  const events = arm.length;
  const { count, list, ofEvent, shared } = candidateLists(candidates, events);
  const rows = 'rows' in features ? features.rows : features;
  const perEvent = ofEvent === null && !shared;
  if (!shared) checkCount(rows.length, count, perEvent ? 'event' : 'pool');
  const rowsOf = (s: number): Rows => (shared ? (rows as Rows) : (rows[s] as Rows));
  const columns = featureColumns(features, count === 0 ? undefined : rowsOf(0)?.[0]);
  const builder = new PoolBuilder(columns);
  builder.allArms = null;
  const pool = u32Column(events);
  const known: { number: number; members: ReadonlySet<number> }[] = [];
  const intern = (s: number): (typeof known)[number] => {
    const place = {
      column: perEvent || shared ? 'candidateFeatures' : `candidateFeatures[${s}]`,
      list: perEvent || shared ? 'candidates' : `candidates.pools[${s}]`,
      row: perEvent ? s : undefined,
    };
    return internList(builder, list(s), rowsOf(s), columns, byIndex, arms, place);
  };
  if (!perEvent) for (let s = 0; s < count; s++) known.push(intern(s));
  for (let t = 0; t < events; t++) {
    const one = perEvent ? intern(t) : known[ofEvent === null ? 0 : ofEvent(t)];
    if (!one.members.has(arm[t])) {
      const members = [...one.members].sort((a, b) => a - b);
      throw new InputError({ column: 'arm', row: t, ...outsideCandidates(arms, arm[t], members) });
    }
    pool[t] = one.number;
  }
  const { pools, armFeatures } = builder.finish(pool, arms.ids);
  return { pools, armFeatures };
}

function featureColumns(features: CandidateFeatures, first: ArrayLike<number> | undefined): readonly string[] {
  const width = first?.length ?? 0;
  const names = 'rows' in features ? features.columns : undefined;
  if (names === undefined) return Array.from({ length: width }, (_, j) => `z${j}`);
  if (names.length === width || first === undefined) return names;
  throw new InputError({
    column: 'candidateFeatures',
    problem: 'wrong number of column names',
    got: `${names.length}`,
    needed: `${width}`,
  });
}

function internList(
  builder: PoolBuilder,
  ids: ArrayLike<Id>,
  rows: Rows | undefined,
  columns: readonly string[],
  byIndex: boolean,
  arms: ArmDictionary,
  { column, list, row }: ListPlace,
): { number: number; members: ReadonlySet<number> } {
  const bad = (fault: Fault): never => {
    throw new InputError({ column, row, ...fault });
  };
  const listed = listedArms(ids, arms, byIndex, list, row);
  const members = new Set(listed);
  if (listed.length === 0) bad(badCandidates(arms, { fault: 'empty' }));
  if (members.size < listed.length) {
    const arm = listed.find((a, j) => listed.indexOf(a) !== j) ?? 0;
    bad(badCandidates(arms, { fault: 'repeated', arm }));
  }
  if (rows?.length !== listed.length) {
    bad({
      problem: 'there is not a row of features per candidate',
      got: `${plural(rows?.length ?? 0, 'row')}`,
      needed: `${listed.length}`,
    });
  }
  const versions = Array.from(listed, (a, j) => {
    const values = rows?.[j] ?? [];
    if (values.length !== columns.length || columns.length === 0) {
      bad({
        problem: `rows of features differ in length, or are empty, at candidate ${JSON.stringify(arms.ids[a])}`,
        got: `${plural(values.length, 'value')}`,
        needed: columns.length === 0 ? 'at least one feature' : `${columns.length}, as in the first row`,
      });
    }
    for (let k = 0; k < values.length; k++) {
      if (typeof values[k] === 'number' && Number.isFinite(values[k])) continue;
      bad({
        problem: `feature "${columns[k]}" of candidate ${JSON.stringify(arms.ids[a])} is not a finite number`,
        got: String(values[k]),
        needed: 'a finite number',
      });
    }
    return builder.version(builder.arm(arms.ids[a]), values);
  });
  return { number: builder.pool(versions), members };
}

function checkCount(got: number, needed: number, what: string): void {
  if (got === needed) return;
  throw new InputError({
    column: 'candidateFeatures',
    problem: 'the features are not nested as the candidates are',
    got: `${got} lists of rows`,
    needed: `${needed}, one per ${what}`,
  });
}
