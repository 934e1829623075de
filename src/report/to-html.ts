/** Results as pages, for scripts: what draws them is loaded when the first one is drawn. */

import type { ReplayResult } from './replay-result.js';
import type { EvaluationResult } from './result.js';

/**
 * An evaluation as a page to send: one HTML file that needs no network, drawn from what the JSON result holds and nothing else.
 *
 * @returns the text of the file.
 */
export async function toHtml(result: EvaluationResult): Promise<string> {
  return (await import('./html/page.js')).toHtml(result);
}

/**
 * A replay of learners as a page to send: one HTML file that needs no network, drawn from what the JSON result holds and nothing else.
 *
 * @returns the text of the file.
 */
export async function toReplayHtml(result: ReplayResult): Promise<string> {
  return (await import('./html/page.js')).toReplayHtml(result);
}
