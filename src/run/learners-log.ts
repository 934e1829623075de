/** The log as learners see it: scaled, where that is asked for, and its batches say how large all contexts are. */

import { type Scaling, scaledStream } from '../learner/scaling.js';
import { withSizes } from '../log/context-sizes.js';
import type { LogStream } from '../log/stream.js';
import type { LogRun } from './log-run.js';

export interface LearnersLog {
  readonly stream: LogStream;
  /** `null`: nothing was scaled. */
  readonly scaling: Scaling | null;
}

/** Of a log that is counted. @throws InputError where a column cannot be scaled. */
export function learnersLog({ stream, survey }: Pick<LogRun, 'stream' | 'survey'>): LearnersLog {
  const sizes = survey.contexts?.sizes();
  const scaling = survey.scaling?.scaling() ?? null;
  const scaled = scaling === null ? stream : scaledStream(stream, scaling);
  if (sizes === undefined) return { stream: scaled, scaling };
  return { stream: withSizes(scaled, survey.scaling?.sizes(sizes.rows) ?? sizes), scaling };
}
