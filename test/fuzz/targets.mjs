/** The readers that are fuzzed, by name: each in a file of its own that exports `target` (see harness.mjs). */

export const TARGETS = {
  'yahoo-r6a': () => import('./yahoo-r6a.mjs'),
  'yahoo-r6b': () => import('./yahoo-r6b.mjs'),
  'vw-cb': () => import('./vw-cb.mjs'),
  'vw-adf': () => import('./vw-adf.mjs'),
  dsjson: () => import('./dsjson.mjs'),
  arrow: () => import('./arrow.mjs'),
  csv: () => import('./csv.mjs'),
  jsonl: () => import('./jsonl.mjs'),
};

export async function targetOf(name) {
  const load = TARGETS[name];
  if (load === undefined) throw new Error(`no target ${name}; there are ${Object.keys(TARGETS).join(', ')}`);
  return (await load()).target;
}
