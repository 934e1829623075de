/** The table of learning algorithms, from the code. */

import { GPU_LEARNERS } from '#dist/engine/learner-gpu/learner-kernels.js';
import { ALGORITHMS } from '#dist/learner/set/algorithms.js';
import { parameterSchema } from '#dist/learner/set/grid.js';

/** Markdown, without a newline at the end. */
export function learnerTable() {
  const rows = ALGORITHMS.map((algorithm) => {
    const { name, summary, source } = algorithm;
    const engine = GPU_LEARNERS.includes(name) ? 'GPU, CPU' : 'CPU';
    return `| \`${name}\` | ${parameters(algorithm)} | ${summary} | ${source} | ${engine} |`;
  });
  return ['| algorithm | parameters | chooses | source | engine |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** Names with their defaults; the tie tolerance, which is the same for all, is left to the text. */
function parameters(algorithm) {
  const { properties, required } = parameterSchema(algorithm);
  return Object.entries(properties)
    .filter(([key]) => key !== 'tieTolerance')
    .map(([key, { default: standard }]) => {
      if (required.includes(key)) return `\`${key}\` (needed)`;
      return standard === undefined ? `\`${key}\`` : `\`${key}\` = ${String(standard)}`;
    })
    .join(', ');
}
