// Linear learners against 80-digit arithmetic: do they retain the same events, and if not, was there a warning?
// Run: python3 test/large/linear_reference.py 240 7 > cases.json; node test/large/linear-accuracy.mjs cases.json [ADAPTER]

import { readFileSync } from 'node:fs';
import { logFromColumns, replay } from '../../dist/index.js';

const [file, adapter] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(file, 'utf8'));
const kinds = new Map();
let [same, warned, wrong, beside] = [0, 0, 0, 0];
for (const [number, one] of cases.entries()) {
  const log = logFromColumns({
    armIndex: one.arm,
    arms: one.arms,
    payoff: one.payoff,
    context: one.context,
    ...(one.features && { armFeatures: one.features }),
  });
  const algorithm = one.features ? 'linucb-hybrid' : 'linucb';
  const learners = [{ algorithm, alpha: one.alpha, lambda: one.lambda }];
  // On a GPU nothing may run on the CPU alone, so a learner that has a kernel on any log goes along.
  if (adapter !== undefined) learners.push({ algorithm: 'random' });
  const { engine, warnings, ...result } = await replay(log, learners, {
    ...(adapter === undefined ? { device: 'cpu', threads: 1 } : { device: 'gpu', adapter }),
    replicas: true,
    assumeUniform: true,
    verify: true,
  });
  if (engine.verified?.passed === false) console.log(`${number} ${one.kind}: ${engine.verified.first}`);
  const [{ retained }] = result.learners[0].replicas;
  const right = String(retained) === String(one.retained);
  const told = warnings.some((text) => /digits/.test(text));
  if ((engine.onCpu ?? []).length > 0) beside++;
  if (right) same++;
  else if (told) warned++;
  else wrong++;
  if (!right) {
    const first = one.retained.findIndex((t, i) => t !== retained[i]);
    console.log(
      `${number} ${one.kind} ${algorithm} ${one.condition.toExponential(1)}: parts at match ${first}${told ? ', with a warning' : ''}`,
    );
  }
  const row = kinds.get(one.kind) ?? { logs: 0, same: 0, conditions: [] };
  row.logs++;
  if (right) row.same++;
  row.conditions.push(one.condition);
  kinds.set(one.kind, row);
}
for (const [kind, { logs, same, conditions }] of kinds) {
  const range = `${Math.min(...conditions).toExponential(0)} to ${Math.max(...conditions).toExponential(0)}`;
  console.log(`${kind.padEnd(14)} ${same} of ${logs} the same events, condition ${range}`);
}
console.log(
  `${cases.length} logs: ${same} the same, ${warned} not and with a warning, ${wrong} not and silently; ${beside} beside the GPU`,
);
process.exitCode = wrong === 0 ? 0 : 1;
