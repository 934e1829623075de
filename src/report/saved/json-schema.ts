/** JSON Schemas of results, from the layout that saved ones are checked by; the build adds what their types say of each field. */

import { z } from 'zod';
import { EVALUATION, REPLAY } from './schema.js';

/** JSON Schema (draft 2020-12) of what `hindcast evaluate --format json` writes. */
export function evaluationJsonSchema(): Record<string, unknown> {
  return described(EVALUATION, 'hindcast evaluation', 'What each policy would have earned, best first');
}

/** JSON Schema (draft 2020-12) of what `hindcast replay --format json` writes. */
export function replayJsonSchema(): Record<string, unknown> {
  return described(REPLAY, 'hindcast replay', 'What learning algorithms earned, over their replicas');
}

function described(schema: z.ZodType, title: string, description: string): Record<string, unknown> {
  return z.toJSONSchema(schema.meta({ title, description })) as Record<string, unknown>;
}
