/** Logs of decisions that are uniform, or of which a tenth is steered by something that the log knows. */

import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM, scaleToIndex, threefry2x32 } from '#dist/random/threefry.js';

const LEVELS = 5;
const DAYS = 10;
const START = Date.parse('2025-03-01');
const DAY = 86_400_000;

/** Draws of log `number` of a seed, one after the other. */
export function draws(seed, number) {
  const out = new Uint32Array(2);
  let next = 0;
  const word = () => {
    threefry2x32(seed, STREAM.simulation, next++, number, out);
    return out[0];
  };
  return { below: (n) => scaleToIndex(word(), n), share: () => word() / 2 ** 32 };
}

/** What may steer. */
export const STEERS = ['level', 'number', 'hour', 'day', 'user', 'position'];

/**
 * @param {{ by: string, way: "spread" | "share" } | undefined} steer `by` what, in which `way`; none: a fair log. `spread`: a tenth of all events, drawn at random, have the arm that goes
 * with their level, tenth, hour, day or user; `share`: all events of a level (half of those, a tenth of all), a tenth, two hours, a
 * day or a tenth of the users have one arm each.
 */
export function steeredLog(seed, number, events, arms, users, steer) {
  const { below, share } = draws(seed, number);
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
