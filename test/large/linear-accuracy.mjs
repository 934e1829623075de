// Linear learners against 80-digit arithmetic: do they retain the same events, and if not, was there a warning?
// Run, with cases.json as linear_reference.py says: node test/large/linear-accuracy.mjs cases.json [ADAPTER]

import { readFileSync } from 'node:fs';
import { openDevice } from '../../dist/gpu/device.js';
import { logFromColumns, replay } from '../../dist/index.js';

const [file, adapter] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(file, 'utf8'));
const opened = adapter === undefined ? null : await openDevice(adapter);
const where = opened === null ? { device: 'cpu', threads: 1 } : { device: 'gpu', gpuDevice: opened.device };
const decades = new Map();
for (const [number, one] of cases.entries()) {
  const { algorithm, parameters, arms, arm, payoff, context, features } = one;
  const log = logFromColumns({
    ...{ armIndex: arm, arms, payoff, context },
    ...(features && { armFeatures: features }),
  });
  const learners = [{ algorithm, ...parameters }];
  // On a GPU nothing may run on the CPU alone, so a learner that has a kernel on any log goes along.
  if (opened !== null) learners.push({ algorithm: 'random' });
  const { engine, warnings, ...result } = await replay(log, learners, {
    ...where,
    replicas: true,
    assumeUniform: true,
    verify: true,
    scale: one.scale,
  });
  if (one.scale !== undefined) {
    const numbers = (columns) => columns.map(({ offset, divisor }) => [offset, divisor]);
    const ours = [numbers(result.scale.contexts), numbers(result.scale.armFeatures)];
    if (String(ours) !== String(one.scales)) console.log(`${number} ${one.kind}: scaled by ${ours}, not ${one.scales}`);
  }
  const { replicas, numerics } = result.learners[0];
  const first = one.retained.findIndex((t, i) => t !== replicas[0].retained[i]);
  const right = String(replicas[0].retained) === String(one.retained);
  const told = warnings.some((text) => /lost all digits/.test(text));
  const verdict = right ? 'same' : told ? 'warned' : 'silent';
  const beside = (engine.onCpu ?? []).length > 0;
  const decade = Math.min(16, Math.floor(Math.log10(one.condition)));
  const row = decades.get(decade) ?? { logs: 0, gpu: 0, same: 0, warned: 0, silent: 0, told: 0, unverified: 0 };
  decades.set(decade, row);
  row.logs++;
  row[verdict]++;
  if (opened !== null && !beside) row.gpu++;
  if (told) row.told++;
  if (engine.verified?.passed !== true) row.unverified++;
  if (!right || engine.verified?.passed !== true) {
    console.log(
      `${number} ${one.kind} ${algorithm} ${one.condition.toExponential(1)}${beside ? '' : ' GPU'}: ${verdict} from match ${first}, ${JSON.stringify(numerics)}, ${engine.verified?.first}`,
    );
  }
}
const rows = [...decades].sort(([a], [b]) => a - b).map(([decade, row]) => ({ 'κ from': `1e${decade}`, ...row }));
const sum = (name) => rows.reduce((total, row) => total + row[name], 0);
console.table(rows);
console.log(
  `${cases.length} logs: ${sum('same')} the same, ${sum('warned')} not and with a warning, ${sum('silent')} not and silently; ${sum('gpu')} on the GPU; ${sum('told')} warned of in all; ${sum('unverified')} failed verification`,
);
process.exit(sum('silent') === 0 ? 0 : 1);
