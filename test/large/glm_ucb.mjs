/** Replays the cases of glm_ucb.py on the CPU engine. */

import { readFileSync } from 'node:fs';
import { glmUcb, logFromColumns, replay } from '#dist/index.js';

const answers = [];
for (const { lambda, rho, context, payoff, armIndex, arms } of JSON.parse(readFileSync(0, 'utf8'))) {
  const log = logFromColumns({ armIndex, arms, payoff, context, payoffRange: [0, 1] });
  const options = { device: 'cpu', assumeUniform: true, replicas: true };
  const { learners, warnings } = await replay(log, [glmUcb({ lambda, rho })], options);
  const [{ numerics = null, replicas }] = learners;
  const said = warnings.filter((text) => text.includes('glm-ucb'));
  answers.push({ retained: replicas[0].retained, numerics, warnings: said });
}
process.stdout.write(JSON.stringify(answers));
