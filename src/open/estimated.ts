/** A log that is opened and, where that is asked for, given propensities that are estimated. */

import { withEstimatedPropensities } from '../log/views/estimated-propensities.js';
import { openThinned } from './thinned.js';

/** @param keys columns by which the logging policy went; absent: propensities are those of the log. @throws InputError as both. */
export async function openEstimated(
  log: Parameters<typeof openThinned>[0],
  keys: readonly string[] | undefined,
  options: Parameters<typeof openThinned>[1],
): ReturnType<typeof openThinned> {
  const opened = await openThinned(log, options);
  if (keys === undefined) return opened;
  try {
    return { ...opened, stream: await withEstimatedPropensities(opened.stream, keys, options.signal) };
  } catch (error) {
    await opened.stream.close();
    throw error;
  }
}
