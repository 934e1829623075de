/**
 * Policy sets: a list of entries, each of one family and worth one or many policies. The index of a policy in a set is
 * its running number over all entries' policies.
 */

import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import { nearestName } from '../names/order.js';
import { checkOptions, option } from '../options/check-options.js';
import type { CompiledPolicies } from './compiled.js';
import type { AnyPolicies } from './drawn/drawn.js';
import { asDrawn, drawnBy, ofLogged, requireChoices, sameChoices } from './drawn/entry.js';
import { type AnyFamily, FAMILIES, familyNamed, JSON_FAMILIES, type PolicySpec } from './families.js';
import type { LogSpan, PolicyCompiler, SpecFiles, SpecPlace } from './family.js';
import { parseJson } from './json-text.js';
import { mixedOrders, type WeighedEntry } from './linear/mixed-orders.js';
import { scoredFamily } from './scored-families.js';
import { shown, specFault, validate } from './spec-faults.js';

/** One validated entry. */
export interface PolicyEntry {
  readonly family: AnyFamily;
  readonly spec: PolicySpec;
  readonly place: SpecPlace;
}

/** A validated list of entries, at least one. */
export type PolicySet = readonly PolicyEntry[];

const EXAMPLE = '[{ "family": "linear", "weights": "w.npy" }, { "family": "constant" }]';

/**
 * Validates a policy set: a list of specs, from JSON or made in code (then functions and typed weights too). What only
 * a log can show to be wrong is found by `compilePolicySet`.
 *
 * @throws InputError with the path of the fault, e.g. `set.json, [3].weights: …`.
 */
export function parsePolicySet(json: unknown, place: { file?: string } = {}): PolicySet {
  checkOptions(place, { file: option.text }, 'place');
  const { file } = place;
  if (!Array.isArray(json)) {
    const hint =
      typeof json === 'object' && json !== null && 'family' in json ? 'put the entry in a list: [ … ]' : undefined;
    throw new InputError({
      file,
      problem: 'a policy set is a list of entries',
      got: shown(json),
      needed: EXAMPLE,
      hint,
    });
  }
  if (json.length === 0) throw new InputError({ file, problem: 'the policy set is empty', needed: EXAMPLE });
  return json.map((entry: unknown, i) => parseEntry(entry, { file, path: `[${i}]` }));
}

/** `parsePolicySet` for JSON text. @throws InputError, for syntax errors with line and column. */
export function parsePolicySetText(text: string, place: { file?: string } = {}): PolicySet {
  return parsePolicySet(parseJson(text, place.file, `a policy set: ${EXAMPLE}`), place);
}

/** Log columns that the set's policies look up by value, each once: readers keep these. */
export function keyColumns(set: PolicySet): readonly string[] {
  return [...new Set(set.flatMap(({ family, spec }) => family.keyColumns(spec)))];
}

/** Stands in where a set was made in code and no file can be read. */
const NO_FILES: SpecFiles = {
  resolve: (path) => path,
  bytes: (path) => Promise.reject(unreadable(path)),
  parquet: (path) => Promise.reject(unreadable(path)),
};

function unreadable(path: string): InputError {
  const hint = 'load the set from its file (loadPolicySet), or pass nodeFiles(folder)';
  return new InputError({ file: path, problem: 'this policy set has no way to read files', hint });
}

/**
 * Compiles a set for a log: entry by entry, in order. The index of policy p of an entry is p plus the number of policies of
 * the entries before.
 *
 * @param files Reads the files that entries name; needed only if they name any.
 * @throws InputError for arms, shapes or columns that do not fit the log, and for policies that draw their arm: `evaluate` takes them.
 */
export async function compilePolicySet(
  set: PolicySet,
  log: EventLog,
  files: SpecFiles = NO_FILES,
): Promise<CompiledPolicies[]> {
  if (log.arms.ids.length === 0) throw noArms();
  requireChoices(set, 'packed policies name the arm of an event', 'evaluate takes policies that draw');
  const compiledEntries: CompiledPolicies[] = [];
  // One after the other: entries may be large, and the first fault in the order of the set is the one to report.
  for (const { family, spec, place } of set)
    compiledEntries.push(chosen(await family.compile(spec, log, files, place)));
  return compiledEntries;
}

/**
 * The same for a log that is gone through batch by batch: one compiler per entry, in order.
 *
 * @throws InputError for arms, shapes or columns that do not fit the log; where it takes events to see it, from `compile`.
 */
export async function openPolicySet(
  set: PolicySet,
  span: LogSpan,
  files: SpecFiles = NO_FILES,
): Promise<PolicyCompiler[]> {
  if (span.head.arms.ids.length === 0) throw noArms();
  const compilers: PolicyCompiler[] = [];
  const weighed: WeighedEntry[] = [];
  const mixed: string[] = [];
  const specs = set.map(({ spec }) => spec);
  for (const [i, { family, spec, place }] of set.entries()) {
    const like = sameChoices(spec, specs.slice(0, i));
    if (family.open !== undefined) compilers.push(drawing(await family.open(spec, span, files, place), spec, like));
    else {
      // Names are of no use to engines, which copy policies for every thread.
      const { columns, ...compiled } = await family.compile(spec, span.head, files, place);
      const isFirst = compiled.kind === 'scored' && weighed.length === 0;
      if (compiled.kind === 'scored')
        weighed.push({ path: place.path, columns, log: () => scoredFamily(compiled).columns(compiled, span.head) });
      compilers.push(drawing(fixed(compiled, isFirst ? mixed : []), spec, like));
    }
  }
  mixed.push(...mixedOrders(weighed));
  return compilers;
}

/** A packed entry whose policies choose. */
export function chosen(packed: AnyPolicies): CompiledPolicies {
  if (packed.kind === 'drawn') throw new RangeError(`policies of the family ${packed.family} draw their arm`);
  return packed;
}

/** Policies that draw, where the entry says so. */
function drawing(compiler: PolicyCompiler, spec: PolicySpec, like: number): PolicyCompiler {
  const by = drawnBy(spec);
  if (by === null) return compiler;
  return {
    policies: compiler.policies,
    draws: by === 'epsilon' ? 'mixture' : ofLogged(spec) ? 'logged' : 'otherwise',
    ...(by === 'epsilon' && like >= 0 ? { like } : {}),
    held: compiler.held,
    perEvent: compiler.perEvent,
    compile: async (batch) => asDrawn(await compiler.compile(batch), spec, batch),
    warnings: () => compiler.warnings(),
    carry: (archive) => compiler.carry(archive),
  };
}

/** Policies that are the same for every batch. */
function fixed(compiled: AnyPolicies, more: readonly string[]): PolicyCompiler {
  return {
    policies: compiled.policies,
    held: compiledBytes(compiled),
    perEvent: 0,
    compile: async () => compiled,
    warnings: () => [...(compiled.warnings ?? []), ...more],
    carry: () => {},
  };
}

function compiledBytes(compiled: AnyPolicies): number {
  return Object.values(compiled).reduce((sum, part) => sum + (ArrayBuffer.isView(part) ? part.byteLength : 0), 0);
}

function noArms(): InputError {
  return new InputError({ problem: 'the log has no arms, so no policy can be evaluated on it' });
}

function parseEntry(entry: unknown, place: SpecPlace): PolicyEntry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    const needed = 'an object such as { "family": "constant" }';
    throw specFault(place, [], { problem: 'not an entry of a policy set', got: shown(entry), needed });
  }
  const name = 'family' in entry ? entry.family : undefined;
  const family = typeof name === 'string' ? familyNamed(name) : undefined;
  if (family === undefined) {
    const known = JSON_FAMILIES.map((one) => one.name);
    const near = typeof name === 'string' ? nearestName(name, known) : null;
    throw specFault(place, ['family'], {
      problem: name === undefined ? 'missing' : 'unknown policy family',
      got: name === undefined ? undefined : shown(name),
      needed: `one of: ${known.join(', ')} (in code: ${FAMILIES.slice(known.length).map((one) => one.name)} too)`,
      hint: near === null ? undefined : `did you mean "${near}"?`,
    });
  }
  return { family, spec: validate(family.schema, entry, place) as PolicySpec, place };
}

/** One after the other: entries may be large, and the first fault in the order of the set is the one to report. */
export async function compileAll(compilers: readonly PolicyCompiler[], batch: EventLog): Promise<AnyPolicies[]> {
  const compiledEntries: AnyPolicies[] = [];
  for (const compiler of compilers) compiledEntries.push(await compiler.compile(batch));
  return compiledEntries;
}
