/** A run on a cluster as people see it: how far it is, and following it to its end. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunFolder, SubmittedRun } from '../cluster/run-folder.js';
import { type RunState, stateOf } from '../cluster/run-state.js';
import { queued } from '../cluster/slurm.js';
import { ranges } from '../cluster/slurm-script.js';
import { EngineError } from '../errors.js';
import { printableLines } from '../printable.js';
import { duration } from '../report/numbers.js';
import { plural } from '../words.js';
import { type Io, writeAll } from './io.js';
import { progressDisplay } from './progress.js';
import { commandLine, Resumable } from './resumable.js';

/** Between two looks. */
const LOOK_MS = 3000;
/** Looks in a row that Slurm may leave without an answer. */
const MOST_UNANSWERED = 20;
/** Looks, one after the other, at which nothing is in the queue and the result is not there: files may show late. */
const LAST_LOOKS = 2;
/** Texts that are told, and failed parts whose logs are looked at for them. */
const MOST_TOLD = 10;
const MOST_LOOKED = 200;

/** A run as it is now. */
export async function look(folder: RunFolder, io: Io): Promise<{ run: SubmittedRun; state: RunState }> {
  const run = await folder.read();
  const queue = await queued(run.id, io.env);
  return { run, state: await stateOf(run, folder, queue) };
}

/**
 * Waits until the result of a run is there.
 *
 * @throws EngineError where its jobs have ended without one, with what was printed last; Resumable where the signal is aborted.
 */
export async function followRun(folder: RunFolder, io: Io, quiet: boolean): Promise<void> {
  const progress = await progressDisplay(io, quiet);
  try {
    for (let ended = 0, unanswered = 0; ; ) {
      const now = await look(folder, io).catch((error: unknown) => {
        if (!(error instanceof EngineError) || ++unanswered > MOST_UNANSWERED) throw error;
        return null;
      });
      if (now !== null) {
        const { run, state } = now;
        unanswered = 0;
        progress.report({ phase: 'follow', done: state.done.length, total: run.parts });
        ended = state.queued === 0 ? ended + 1 : 0;
        if (state.queued === 0 && state.merge === 'done') {
          progress.stop();
          return writeAll(io.stdout, `the result of ${plural(run.parts, 'part')} is in ${run.result}\n`);
        }
        if (ended >= LAST_LOOKS) throw new EngineError(await endedText(folder, run, state));
      }
      await sleep(LOOK_MS, undefined, { signal: io.signal });
    }
  } catch (error) {
    if (!io.signal.aborted) throw error;
    const text = `the jobs run on; ${commandLine(['cancel', folder.path])} ends them`;
    throw new Resumable(text, { cause: error }, ['jobs', folder.path, '--wait']);
  } finally {
    progress.stop();
  }
}

async function endedText(folder: RunFolder, run: SubmittedRun, state: RunState): Promise<string> {
  const lines = [`the jobs have ended, and there is no result: ${partsText(run, state)}`];
  lines.push(...(await saidLines(folder, state)));
  lines.push('  try:    hindcast submit again, which computes what is missing');
  return lines.join('\n');
}

/** How far a run is, in lines. */
export async function stateText(folder: RunFolder, run: SubmittedRun, state: RunState): Promise<string> {
  const left = state.left === null ? 'not known yet' : duration(state.left);
  const merge = { done: `done: ${run.result}`, running: 'running', waiting: 'waiting for the parts' };
  return [
    `run     ${commandLine(run.command)}`,
    `parts   ${partsText(run, state)}`,
    ...(state.reasons.length === 0 ? [] : [`waiting ${state.reasons.join(', ')} (in Slurm's words)`]),
    `merge   ${state.merge === 'failed' || state.merge === 'missing' ? 'not in the queue' : merge[state.merge]}`,
    ...(state.running.length + state.waiting.length === 0 ? [] : [`left    ${left}`]),
    ...(await saidLines(folder, state)),
    '',
  ].join('\n');
}

function partsText({ parts }: SubmittedRun, state: RunState): string {
  const { done, running, waiting, failed, missing } = state;
  const counts = { done, running, waiting, failed, 'not begun': missing };
  const told = Object.entries(counts).filter(([name, list]) => name === 'done' || list.length > 0);
  return `${told.map(([name, list]) => `${list.length} ${name}`).join(', ')}, of ${parts}`;
}

/** What was printed last by what has failed: each text once. */
async function saidLines(folder: RunFolder, { failed, merge }: RunState): Promise<string[]> {
  const said = new Map<string, number[]>();
  for (const part of failed.slice(0, MOST_LOOKED)) {
    const text = (await folder.lastSaid(part)) ?? `nothing is to be seen in ${folder.logs}`;
    said.set(text, [...(said.get(text) ?? []), part]);
  }
  const lines = [...said].map(([text, parts]) => {
    const who = `${parts.length === 1 ? 'part' : 'parts'} ${ranges(parts).replaceAll(',', ', ')}`;
    return messageLine(who, text);
  });
  if (lines.length > MOST_TOLD || failed.length > MOST_LOOKED)
    lines.splice(MOST_TOLD, lines.length, `  and others: ${folder.logs}`);
  if (merge === 'failed') lines.push(messageLine('the merge', (await folder.lastSaid(null)) ?? ''));
  return lines;
}

function messageLine(who: string, text: string): string {
  return `  ${who}: ${printableLines(text).replaceAll('\n', '\n  ')}`;
}
