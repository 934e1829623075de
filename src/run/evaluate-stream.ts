/**
 * Fixed policies on a log that is gone through batch by batch, once to count and once to evaluate (`log-run.ts`): all of it, a part, or
 * what parts have evaluated elsewhere. Block statistics add up, so results do not depend on the batches; a log in memory is a single one.
 */

import { chooseBackend } from '../engine/choose.js';
import type { Estimates } from '../estimate/estimates.js';
import type { Drawer } from '../estimate/selection/draws.js';
import type { LogStream } from '../log/stream.js';
import type { SpecFiles } from '../policy/family.js';
import { openPolicySet, type PolicySet } from '../policy/policy-set.js';
import type { Identity } from './checkpoint/file.js';
import { openLogRun } from './open-log-run.js';
import type { MadePart, Parted, PartOfRun } from './parts/plan.js';
import type { StoredParts } from './parts/stored.js';
import { PolicyRun } from './policy-run.js';
import type { EvaluateStreamOptions, StreamEvaluation } from './stream-evaluation.js';
import type { Survey } from './survey.js';

/** Policies that were read, and the files that they name. */
interface Policies {
  readonly set: PolicySet;
  readonly files?: SpecFiles;
}

/**
 * @param stored parts that were evaluated elsewhere, in place of the engine's work; `null`: all is evaluated here.
 * @param conclude what is made of it while the engine is there.
 * @throws what `evaluate` throws; InputError for parts of another run, and damaged ones.
 */
export async function evaluateStream<Conclusion>(
  stream: LogStream,
  policies: Policies,
  options: EvaluateStreamOptions,
  stored: StoredParts | null,
  conclude: (evaluation: StreamEvaluation, drawer: Drawer) => Promise<Conclusion>,
): Promise<StreamEvaluation & Conclusion> {
  const { run, identity } = await openPolicyRun(stream, policies, options, {
    part: null,
    asked: stored?.asked.options ?? null,
    counts: stored?.counts,
  });
  stored?.requireRun(identity);
  await run.count();
  const backend = await chooseBackend({ ...options, threads: run.run.threads });
  try {
    if (stored === null) await run.play(backend);
    else await run.playStored(backend, stored);
    const evaluation = run.finish(backend);
    return { ...evaluation, ...(await conclude(evaluation, backend)) };
  } finally {
    await backend.close();
  }
}

/**
 * Evaluates a part of what `evaluateStream` would.
 *
 * @param isThere told what tells the run from others: the part was evaluated before, and nothing is to be done.
 * @returns `null`: it is there.
 */
export async function evaluatePartStream(
  stream: LogStream,
  policies: Policies,
  options: EvaluateStreamOptions,
  { part, asked, counts }: PartOfRun,
  isThere: (identity: Identity) => boolean,
): Promise<(MadePart & { readonly identity: Identity }) | null> {
  const { run, identity } = await openPolicyRun(stream, policies, options, { part, asked: asked.options, counts });
  if (isThere(identity)) return null;
  await run.count();
  const backend = await chooseBackend({ ...options, threads: run.run.threads });
  try {
    await run.play(backend);
    return { identity, ...run.finishPart(backend) };
  } finally {
    await backend.close();
  }
}

async function openPolicyRun(
  stream: LogStream,
  { set, files }: Policies,
  options: EvaluateStreamOptions,
  { part, asked, counts }: Parted,
): Promise<{ readonly run: PolicyRun; readonly identity: Identity }> {
  const { validEvents, estimates, uniform, model } = options;
  let replay: Estimates | null = null;
  const chosen = (survey: Survey): Estimates => {
    if (uniform === undefined || survey.uniformity.saysUneven) return estimates;
    replay ??= uniform();
    return replay;
  };
  const { run, opened, identity } = await openLogRun(stream, options, {
    command: 'evaluate',
    content: ['policies', set.map(({ spec }) => spec)],
    choices: {
      ...options.estimated,
      validEvents,
      verify: options.verify ?? null,
      ...(asked === null ? {} : { asked }),
    },
    ...{ part, counts, identify: asked !== null },
    levels: options.levels,
    estimates,
    unlessUniform: uniform !== undefined,
    model,
    anyLogging: (survey) => !chosen(survey).needsUniform,
    files,
    open: (span, files) => openPolicySet(set, span, files),
  });
  return { run: new PolicyRun(run, opened, () => chosen(run.survey), options, part), identity };
}
