/** Fixed policies as experts: what each advises at an event. */

import { z } from 'zod';
import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import { requireChoices } from '../../policy/drawn/entry.js';
import type { PolicyInput } from '../../policy/families.js';
import type { LogSpan, SpecFiles } from '../../policy/family.js';
import { chosen, compilePolicySet, keyColumns, openPolicySet, parsePolicySet } from '../../policy/policy-set.js';
import { referenceChoice } from '../../policy/reference.js';
import { candidateNumber } from '../candidates.js';
import type { Candidates } from '../learner.js';

/** A policy set, validated by its own rules. */
export const expertsSchema = z.array(z.custom<PolicyInput>()).superRefine((experts, context) => {
  try {
    parsePolicySet(experts);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { path = '', problem, got, needed, hint } = error.fault;
    context.addIssue({ code: 'custom', path: pathParts(path), message: problem, params: { got, needed, hint } });
  }
});

/** `[1].tables["a b"]` → 1, tables, a b */
function pathParts(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([\w$]+)/g), ([, index, quoted, key]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? String(JSON.parse(quoted)) : key,
  );
}

/** Packs the experts for a log. @throws InputError with a path that begins with `experts`. */
export async function packExperts(
  experts: readonly unknown[],
  log: EventLog,
  files: SpecFiles | undefined,
): Promise<CompiledPolicies[]> {
  return await ofExperts(() => compilePolicySet(parsePolicySet(experts), log, files));
}

/** The same for a log that is gone through batch by batch: what it returns packs them for each. */
export async function openExperts(
  experts: readonly unknown[],
  span: LogSpan,
  files: SpecFiles | undefined,
): Promise<(batch: EventLog) => Promise<CompiledPolicies[]>> {
  const compilers = await ofExperts(() => {
    const set = parsePolicySet(experts);
    requireChoices(set, 'experts name the arm of an event', 'leave the key out, or evaluate such policies');
    return openPolicySet(set, span, files);
  });
  return (batch) =>
    ofExperts(async () => {
      const compiledEntries: CompiledPolicies[] = [];
      for (const compiler of compilers) compiledEntries.push(chosen(await compiler.compile(batch)));
      return compiledEntries;
    });
}

async function ofExperts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InputError) || error.fault.path === undefined) throw error;
    throw new InputError({ ...error.fault, path: `experts${error.fault.path}` }, { cause: error });
  }
}

/** Log columns that the experts look up by value. */
export function expertKeyColumns(experts: readonly unknown[]): readonly string[] {
  return keyColumns(parsePolicySet(experts));
}

/** Whether some expert computes with contexts. */
export function expertsWeigh(experts: readonly unknown[]): boolean {
  return parsePolicySet(experts).some(({ family }) => family.computes);
}

/** "No opinion": the uniform distribution over the candidates. */
export const UNIFORM = -1;

/** N experts. Their advice ξ^i is one candidate, or uniform: random policies, and those without an arm at the event. */
export class Experts {
  /** N */
  readonly count: number;
  readonly names: readonly string[];
  private readonly choices: ((event: number) => number)[];

  constructor(compiledEntries: readonly CompiledPolicies[], log: EventLog) {
    this.names = compiledEntries.flatMap((compiled) => compiled.names);
    this.choices = compiledEntries.flatMap((compiled) => {
      const choose = referenceChoice(compiled, log);
      return Array.from({ length: compiled.policies }, (_, p) =>
        compiled.kind === 'uniform' ? () => UNIFORM : (event: number) => choose(p, event),
      );
    });
    this.count = this.choices.length;
  }

  /** Writes the number of the advised candidate, or UNIFORM, of each expert into `advice[0 .. N)`. */
  advise(event: number, candidates: Candidates, advice: Int32Array): void {
    for (let i = 0; i < this.count; i++) {
      const arm = this.choices[i](event);
      advice[i] = arm < 0 ? UNIFORM : candidateNumber(candidates, arm);
    }
  }
}
