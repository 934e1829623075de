/** Build step: writes the JSON Schemas that the package publishes into `dist/schema/`. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { learnerSetJsonSchema } from './learner/set/schema.js';
import { mappingJsonSchema } from './log/mapping.js';
import { policySetJsonSchema } from './policy/schema.js';
import { evaluationJsonSchema, replayJsonSchema } from './report/saved/json-schema.js';

const SCHEMAS: Readonly<Record<string, () => Record<string, unknown>>> = {
  evaluation: evaluationJsonSchema,
  learners: learnerSetJsonSchema,
  mapping: mappingJsonSchema,
  policies: policySetJsonSchema,
  replay: replayJsonSchema,
};

const folder = fileURLToPath(new URL('./schema/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(SCHEMAS)) {
  writeFileSync(`${folder}${name}.schema.json`, `${JSON.stringify(schema(), null, 2)}\n`);
}
