/** What `evaluate` and `replay` have in common: a log, and a file of policies or learners, go in; a result comes out. */

import type { LogFiles } from '../open/open.js';
import type { PictureFile } from '../report/html/pictures/files.js';
import { RENDERERS, type Renderer, type RendererName } from '../report/renderers.js';
import type { ReplayResult } from '../report/replay-result.js';
import type { EvaluationResult } from '../report/result.js';
import type { Style } from '../report/style.js';
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
}

/** One of the two verbs. */
export interface ResultVerb<Result> {
  run(log: LogFiles, common: ReturnType<typeof commonOptions>): Promise<Result>;
  render(renderer: Renderer, result: Result, style: Style): Promise<string | Uint8Array>;
  pictures(result: Result): Promise<readonly PictureFile[]>;
}

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

/** Runs a verb and writes its result where the options say. */
export async function writeResult<Result extends EvaluationResult | ReplayResult>(
  { files, set, options, format, io }: ResultCommand,
  verb: ResultVerb<Result>,
): Promise<void> {
  let notes = '';
  const produce = async (paths: string[]): Promise<string | Uint8Array> => {
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      const log = { files: paths, ...(await logInput(paths, options)) };
      const result = warnedInFlags(await verb.run(log, commonOptions(options, io, progress)));
      // Others say it themselves.
      if (RENDERERS[format].reader === 'tools') notes = notesOf(result);
      const content = await rendered(
        format,
        (renderer, style) => verb.render(renderer, result, style),
        options.out,
        io,
      );
      if (options.pictures !== undefined) await writePictures(options.pictures, await verb.pictures(result), io);
      return content;
    } finally {
      progress.stop();
    }
  };
  await pictureFolder(options.pictures);
  await resumable(options.resume, io, () =>
    withOutput(options.out, [...files, set], io, () => withLogFiles(files, options.logFormat, io, produce)),
  );
  await tell(io, notes);
}
