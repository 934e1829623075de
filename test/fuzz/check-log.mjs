/** Whether an event log is one: every column of the right length, every number in its range, every order kept. */

const fail = (what) => {
  throw new Error(`not an event log: ${what}`);
};
const hold = (condition, what) => condition || fail(what);

/** @throws Error naming the first thing that does not hold. */
export function checkLog(log) {
  const { events } = log;
  hold(Number.isInteger(events) && events >= 0, `events = ${events}`);
  checkArms(log);
  checkPools(log);
  checkContexts(log);
  checkPayoff(log);
  checkKey('user', log.user, events);
  for (const [name, key] of log.keys) checkKey(name, key, events);
  checkColumn('propensity', log.propensity, events, (p) => p > 0 && p <= 1);
  checkColumn('time', log.time, events, Number.isFinite);
  checkArmFeatures(log);
  checkSource(log);
}

function checkColumn(name, column, events, isGood) {
  if (column === null) return;
  hold(column.length === events, `${name} has ${column.length} entries for ${events} events`);
  for (let t = 0; t < events; t++) if (!isGood(column[t])) fail(`${name}[${t}] = ${column[t]}`);
}

function checkArms({ arms, arm, events }) {
  hold(arms.index.size === arms.ids.length, 'arms repeat');
  for (const [a, id] of arms.ids.entries()) hold(arms.index.get(id) === a, `arm ${a} is not at its place`);
  if (arms.ids.every((id) => /^(?:0|-?[1-9]\d*)$/.test(id))) {
    for (let a = 1; a < arms.ids.length; a++)
      hold(BigInt(arms.ids[a - 1]) < BigInt(arms.ids[a]), `arms ${a - 1} and ${a} are not in numeric order`);
  }
  checkColumn('arm', arm, events, (a) => a < arms.ids.length);
}

function checkPools({ pools, arm, events, arms }) {
  const { count, offsets } = pools;
  hold(count >= 1 && offsets.length === count + 1 && offsets[0] === 0, 'pool offsets');
  hold(offsets[count] === pools.arms.length, 'pool offsets do not end at the last member');
  for (let s = 0; s < count; s++) {
    hold(offsets[s] <= offsets[s + 1], `pool ${s} has a negative size`);
    for (let i = offsets[s]; i < offsets[s + 1]; i++) {
      hold(pools.arms[i] < arms.ids.length, `pool ${s} holds arm ${pools.arms[i]}`);
      hold(i === offsets[s] || pools.arms[i - 1] < pools.arms[i], `pool ${s} is not ascending`);
    }
  }
  checkColumn('pool', pools.pool, events, (s) => s < count);
  for (let t = 0; t < events; t++) {
    const s = pools.pool === null ? 0 : pools.pool[t];
    const members = pools.arms.subarray(offsets[s], offsets[s + 1]);
    hold(members.includes(arm[t]), `the logged arm of event ${t} is not in its pool`);
  }
}

function checkContexts({ contexts, events }) {
  const { dimension, rows, values, row, columns } = contexts;
  hold(columns.length === dimension, 'a context column without a name');
  hold(values.length === rows * dimension, `${values.length} context values for ${rows} rows of ${dimension}`);
  if (row === null) hold(rows === events, `${rows} contexts for ${events} events`);
  checkColumn('context row', row, events, (r) => r < rows);
  hold(values.every(Number.isFinite), 'a context value is not finite');
}

function checkPayoff({ payoff, events }) {
  let most = 0;
  for (const steps of payoff.steps) if (steps > most) most = steps;
  hold(payoff.steps.length === events, `${payoff.steps.length} payoffs for ${events} events`);
  hold(payoff.maxSteps === most, `maxSteps is ${payoff.maxSteps}, not ${most}`);
  hold(payoff.scale.low <= payoff.scale.high, 'payoff range');
}

function checkKey(name, key, events) {
  if (key === null) return;
  hold(new Set(key.levels).size === key.levels.length, `levels of ${name} repeat`);
  checkColumn(name, key.code, events, (code) => code < key.levels.length);
}

function checkArmFeatures({ armFeatures, pools, arms }) {
  if (armFeatures === null) return;
  const { dimension, rows, values, row, columns } = armFeatures;
  hold(columns.length === dimension, 'an arm feature without a name');
  hold(values.length === rows * dimension, 'arm feature values');
  hold(values.every(Number.isFinite), 'an arm feature is not finite');
  if (row === null) {
    hold(rows === arms.ids.length, `${rows} rows of arm features for ${arms.ids.length} arms`);
    return;
  }
  hold(row.length === pools.arms.length, 'arm feature rows');
  const armOf = new Int32Array(rows).fill(-1);
  for (let i = 0; i < row.length; i++) {
    hold(row[i] < rows, `pool entry ${i} has arm features ${row[i]}`);
    hold(armOf[row[i]] < 0 || armOf[row[i]] === pools.arms[i], `arm features ${row[i]} belong to two arms`);
    armOf[row[i]] = pools.arms[i];
  }
}

function checkSource({ source, sourceRow, events }) {
  const { rows, badRows } = source;
  checkColumn('sourceRow', sourceRow, events, (row) => rows === null || row < rows);
  if (sourceRow !== null) {
    for (let t = 1; t < events; t++) hold(sourceRow[t - 1] < sourceRow[t], `sourceRow is not ascending at ${t}`);
  } else if (rows !== null) hold(events <= rows, `${events} events of ${rows} rows`);
  hold(new Set(badRows.map(({ kind }) => kind)).size === badRows.length, 'a kind of bad rows is listed twice');
  for (const { kind, count, first } of badRows)
    hold(Number.isInteger(count) && count > 0 && first !== '', `bad rows of kind ${kind}`);
}
