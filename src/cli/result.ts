/** What `evaluate` and `replay` have in common: a log, and a file of policies or learners, go in; a result comes out. */

import type { LogFiles } from '../open/open.js';
import type { PictureFile } from '../report/html/pictures/files.js';
import { RENDERERS, type Renderer, type RendererName } from '../report/renderers.js';
import type { ReplayResult } from '../report/replay-result.js';
import type { EvaluationResult } from '../report/result.js';
import type { Style } from '../report/style.js';
import type { StoredParts } from '../run/parts/stored.js';
import { blocksOf, type EngineOptions } from './engine-options.js';
import { warnedInFlags } from './flags.js';
import { rendered } from './format.js';
import { type Io, tell } from './io.js';
import { type LogOptions, logInput } from './log-options.js';
import { notesOf } from './notes.js';
import { withOutput } from './output.js';
import { pictureFolder, writePictures } from './pictures.js';
import { type Progress, type ProgressDisplay, progressDisplay } from './progress.js';
import { resumable } from './resumable.js';
import { withLogFiles } from './standard-input.js';

/** The command's files and options. */
export interface ResultCommand {
  /** Of the log. */
  readonly files: readonly string[];
  /** Of policies or learners. */
  readonly set: string;
  readonly options: LogOptions & EngineOptions;
  readonly format: RendererName;
  readonly io: Io;
  /** Parts that were computed elsewhere; `null`: none. */
  readonly parts: StoredParts | null;
  /** The command line that makes the result again. */
  readonly again: string;
}

/** One of the two verbs. */
export interface ResultVerb<Result> {
  run(log: LogFiles, common: CommonOptions): Promise<Result>;
  render(renderer: Renderer, result: Result, style: Style): Promise<string | Uint8Array>;
  pictures(result: Result): Promise<readonly PictureFile[]>;
}

export type CommonOptions = ReturnType<typeof commonOptions>;

/** What both verbs take. */
function commonOptions(options: EngineOptions, io: Io, progress: ProgressDisplay) {
  const { device, adapter, threads, memory, resume, checkpointEvery } = options;
  const { validEvents, confidence, assumeUniform, thin, leastPropensity, thinSeed, verify } = options;
  return {
    ...{ device, adapter, threads, memory, resume, checkpointEvery, keepCheckpoint: true },
    ...{ validEvents, confidence, assumeUniform, thin, leastPropensity, thinSeed, verify },
    blocks: blocksOf(options),
    onProgress: (state: Progress) => progress.report(state),
    signal: io.signal,
  };
}

/**
 * Reads what says how the log is read, shows progress, and keeps the state of the run where that is asked for.
 *
 * @param within what is about the work: it is called once, with the work.
 */
export async function withRun<T, Made>(
  { files, options, io }: Pick<ResultCommand, 'files' | 'options' | 'io'>,
  work: (log: LogFiles, common: CommonOptions) => Promise<Made>,
  within: (work: () => Promise<Made>) => Promise<T>,
): Promise<T> {
  const run = async (paths: string[]): Promise<Made> => {
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      return await work({ files: paths, ...(await logInput(paths, options)) }, commonOptions(options, io, progress));
    } finally {
      progress.stop();
    }
  };
  return resumable(options.resume, io, () => within(() => withLogFiles(files, options.logFormat, io, run)));
}

/** Runs a verb and writes its result where the options say. */
export async function writeResult<Result extends EvaluationResult | ReplayResult>(
  { files, set, options, format, io, parts, again }: ResultCommand,
  verb: ResultVerb<Result>,
): Promise<void> {
  let notes = '';
  let pictures: readonly PictureFile[] = [];
  await pictureFolder(options.pictures);
  await withRun(
    { files, options, io },
    async (log, common) => {
      const result = { ...warnedInFlags(await verb.run(log, common)), command: again };
      // Others say it themselves.
      if (RENDERERS[format].reader === 'tools') notes = notesOf(result);
      const content = await rendered(
        format,
        (renderer, style) => verb.render(renderer, result, style),
        options.out,
        io,
      );
      if (options.pictures !== undefined) pictures = await verb.pictures(result);
      return content;
    },
    (work) => withOutput(options.out, [...files, set, ...(parts?.files.map(({ name }) => name) ?? [])], io, work),
  );
  // Behind the result, which they are an addition to.
  if (options.pictures !== undefined) await writePictures(options.pictures, pictures, io);
  await tell(io, notes);
}
