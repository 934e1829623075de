/**
 * `node test/large/uniformity.mjs [--fair 1000] [--power 200] [--arms 2,5,20] [--seed 1]`: of logs of uniformly random decisions
 * (10³ to 10⁵ events, 2 to 50 arms, with levels, a number, times and users), how many are refused or warned of; and of logs of
 * 10⁴ events with a tenth of their traffic steered by one of these, how many are. Fails where more than one fair log in 1,000 is
 * refused, or less than 95 % of the steered ones are refused or warned of.
 */

import { parseArgs } from 'node:util';
import { testUniformity } from '#dist/log/checks/uniformity.js';
import { draws, STEERS, steeredLog } from '../log/checks/uniform/steered-log.mjs';

const { values } = parseArgs({
  options: {
    fair: { type: 'string', default: '1000' },
    power: { type: 'string', default: '200' },
    arms: { type: 'string', default: '2,5,20' },
    seed: { type: 'string', default: '1' },
  },
});

const seed = Number(values.seed);

const outcome = (log) => {
  const { uniform, warning } = testUniformity(log);
  return uniform ? (warning === null ? 'passed' : 'warned') : 'refused';
};

let number = 0;
const fair = { passed: 0, warned: 0, refused: 0 };
for (let i = 0; i < Number(values.fair); i++) {
  const { below, share } = draws(seed, 1e6 + i);
  const events = Math.round(10 ** (3 + 2 * share()));
  fair[outcome(steeredLog(seed, number++, events, 2 + below(49), [10, 100, 1000, events][below(4)]))]++;
}
console.log('fair', fair);
if (fair.refused > Math.max(1, Number(values.fair) / 1000)) process.exitCode = 1;
for (const way of ['spread', 'share']) {
  for (const arms of values.arms.split(',').map(Number)) {
    for (const by of STEERS) {
      const found = { passed: 0, warned: 0, refused: 0 };
      for (let i = 0; i < Number(values.power); i++)
        found[outcome(steeredLog(seed, number++, 10_000, arms, 100, { by, way }))]++;
      console.log(way, arms, by, found);
      if (found.passed > 0.05 * Number(values.power)) process.exitCode = 1;
    }
  }
}
