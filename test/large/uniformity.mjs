/**
 * `node test/large/uniformity.mjs [--fair 1000] [--power 200] [--arms 2,5,20] [--seed 1]`: of logs of uniformly random decisions
 * (10³ to 10⁵ events, 2 to 50 arms, with levels, a number, times and users), how many are refused or warned of; and of logs of
 * 10⁴ events with a tenth of their traffic steered by one of these, how many are. Fails where more than one fair log in 1,000 is
 * refused, or less than 95 % of the steered ones are refused or warned of.
 *
 * `spread`: a tenth of all events, drawn at random, have the arm that goes with their level, tenth, hour, day or user; `share`: all
 * events of a level (half of those, a tenth of all), a tenth, two hours, a day or a tenth of the users have one arm each.
 */

import { parseArgs } from 'node:util';
import { logFromColumns } from '#dist/log/columns.js';
import { testUniformity } from '#dist/log/uniformity.js';
import { STREAM, scaleToIndex, threefry2x32 } from '#dist/random/threefry.js';

const { values } = parseArgs({
  options: {
    fair: { type: 'string', default: '1000' },
    power: { type: 'string', default: '200' },
    arms: { type: 'string', default: '2,5,20' },
    seed: { type: 'string', default: '1' },
  },
});

const LEVELS = 5;
const DAYS = 10;
const START = Date.parse('2025-03-01');
const DAY = 86_400_000;

/** Draws of one log, one after the other. */
function draws(number) {
  const out = new Uint32Array(2);
  let next = 0;
  const word = () => {
    threefry2x32(Number(values.seed), STREAM.simulation, next++, number, out);
    return out[0];
  };
  return { below: (n) => scaleToIndex(word(), n), share: () => word() / 2 ** 32 };
}

/** @param steer `by` what, in which `way`; none: a fair log. */
function makeLog(number, events, arms, users, steer) {
  const { below, share } = draws(number);
  const column = (draw) => Float64Array.from({ length: events }, draw);
  const level = column(() => below(LEVELS));
  const value = column(share);
  const user = column(() => below(users));
  const time = column((_, t) => START + (t * DAYS * DAY) / events);
  const context = new Float64Array(events * (LEVELS + 1));
  for (let t = 0; t < events; t++) {
    context[t * (LEVELS + 1) + level[t]] = 1;
    context[t * (LEVELS + 1) + LEVELS] = value[t];
  }
  const hour = (t) => Math.floor(time[t] / 3_600_000) % 24;
  const day = (t) => Math.floor((time[t] - START) / DAY);
  const group = {
    level: (t) => level[t],
    number: (t) => Math.floor(value[t] * 10),
    hour,
    day,
    user: (t) => user[t],
    position: (t) => Math.floor((t * 10) / events),
  };
  const inShare = {
    level: (t) => level[t] === 0 && share() < 0.5,
    number: (t) => value[t] < 0.1,
    hour: (t) => hour(t) === 7 || hour(t) === 8,
    day: (t) => day(t) === 3,
    user: (t) => user[t] < users / 10,
    position: (t) => group.position(t) === 4,
  };
  const armIndex = Uint32Array.from({ length: events }, (_, t) => {
    const arm = below(arms);
    if (steer === undefined) return arm;
    if (steer.way === 'spread') return share() < 0.1 ? group[steer.by](t) % arms : arm;
    return inShare[steer.by](t) ? (steer.by === 'user' ? user[t] % arms : 0) : arm;
  });
  const columns = [...Array.from({ length: LEVELS }, (_, i) => `level=${i}`), 'number'];
  const payoff = new Uint8Array(events);
  const made = logFromColumns({
    armIndex,
    arms,
    payoff,
    context: { values: context, dimension: LEVELS + 1 },
    time,
    user,
  });
  return { ...made, contexts: { ...made.contexts, columns } };
}

const outcome = (log) => {
  const { uniform, warning } = testUniformity(log);
  return uniform ? (warning === null ? 'passed' : 'warned') : 'refused';
};

let number = 0;
const fair = { passed: 0, warned: 0, refused: 0 };
for (let i = 0; i < Number(values.fair); i++) {
  const { below, share } = draws(1e6 + i);
  const events = Math.round(10 ** (3 + 2 * share()));
  fair[outcome(makeLog(number++, events, 2 + below(49), [10, 100, 1000, events][below(4)]))]++;
}
console.log('fair', fair);
if (fair.refused > Math.max(1, Number(values.fair) / 1000)) process.exitCode = 1;
for (const way of ['spread', 'share']) {
  for (const arms of values.arms.split(',').map(Number)) {
    for (const by of ['level', 'number', 'hour', 'day', 'user', 'position']) {
      const found = { passed: 0, warned: 0, refused: 0 };
      for (let i = 0; i < Number(values.power); i++)
        found[outcome(makeLog(number++, 10_000, arms, 100, { by, way }))]++;
      console.log(way, arms, by, found);
      if (found.passed > 0.05 * Number(values.power)) process.exitCode = 1;
    }
  }
}
