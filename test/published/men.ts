/** The men's logs of the Open Bandit Dataset, and the policies that references know on them, by their names there. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { EventLog } from '#dist/log/event-log.js';
import { openLog } from '#dist/open/open.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { SUBSETS, sharedFile, sineWeights } from './reference.js';

export const ARMS = 34;
/** Linear policies of each kind. */
export const LINEAR = 10;

const LOGS = {
  bts: { file: 'data/obd/bts/men/men.csv.gz', dimension: 27 },
  random: { file: 'data/obd/random/men/men.csv', dimension: 26 },
} as const;

export type Men = keyof typeof LOGS;
export const MEN_LOGS = Object.keys(LOGS) as Men[];

export const menFile = (men: Men): string => sharedFile(LOGS[men].file);

export function openMen(men: Men, subset: string): Promise<EventLog> {
  return openLog({ files: [menFile(men)], format: 'obd', where: SUBSETS[subset] });
}

const linear = (men: Men) => ({
  family: 'linear' as const,
  weights: sineWeights(LINEAR, ARMS, LOGS[men].dimension),
});

/** Kinds of policies, a line for each: what the reference calls them, and what they are here. */
const KINDS = {
  constant: () => ({ family: 'constant' as const }),
  linear_argmax: linear,
  uniform: () => ({ family: 'constant' as const, arms: [0], epsilon: 1 }),
  linear_eps0p1: (men) => ({ ...linear(men), epsilon: 0.1 }),
  linear_softmax_beta4: (men) => ({ ...linear(men), temperature: 1 / 4 }),
} as const satisfies Record<string, (men: Men) => PolicyInput>;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];
/** Those that choose. */
export const CHOOSING: readonly Kind[] = ['constant', 'linear_argmax'];

/** Policies of some kinds, one kind after the other. */
export function menPolicies(men: Men, kinds: readonly Kind[] = KIND_NAMES): PolicyInput[] {
  return kinds.map((kind) => KINDS[kind](men));
}

/** The arm (7j + 3) mod K, j the place of the user's third feature among those of the file. */
export function menTable(men: Men): PolicyInput {
  const arms = thirdFeatures(men).map((value, j) => [value, String((7 * j + 3) % ARMS)]);
  return { family: 'table', keys: ['user_feature_2'], tables: [{ choices: Object.fromEntries(arms) }] };
}

/** Position (from 1) and third feature of the user in every row of a file, the latter as its place among those of the file. */
export function rowsOfMen(men: Men): { position: number; third: number }[] {
  const values = thirdFeatures(men);
  return cellsOfMen(men).map(([position, feature]) => ({ position: Number(position), third: values.indexOf(feature) }));
}

const thirdFeatures = (men: Men): string[] => [...new Set(cellsOfMen(men).map(([, feature]) => feature))].sort();

function cellsOfMen(men: Men): [position: string, feature: string][] {
  const bytes = readFileSync(menFile(men));
  const text = (menFile(men).endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const [head, ...rows] = text.trimEnd().split('\n');
  const names = head.split(',');
  const [position, feature] = ['position', 'user_feature_2'].map((name) => names.indexOf(name));
  return rows.map((row) => row.split(',', feature + 1)).map((row) => [row[position], row[feature]]);
}
