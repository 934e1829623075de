// Policies made in code: functions of context and candidates, and the paper's serving policy, the best article of the
// last five minutes. Run: node examples/policies-in-code.mjs
import { evaluate, policyFunctions, simulateToday, toTable } from 'hindcast';

const { log } = simulateToday({ events: 100_000, seed: 7, days: 1 });

// The article with the best smoothed click rate in each five minutes serves the next five: a table by period. It is
// made from the log it is rated on, but every choice only looks back, so its estimate is not flattered.
const PERIOD = 5 * 60_000;
const first = Math.floor(log.time[0] / PERIOD);
const last = Math.floor(log.time[log.events - 1] / PERIOD);
const clicks = new Float64Array(log.arms.ids.length);
const views = new Float64Array(log.arms.ids.length);
const served = [];
let t = 0;
for (let period = first; period <= last; period++) {
  const page = log.pools.pool[t];
  const onPage = [...log.pools.arms.subarray(log.pools.offsets[page], log.pools.offsets[page + 1])];
  const rate = (a) => (clicks[a] + 1) / (views[a] + 25);
  const best = onPage.reduce((a, b) => (rate(b) > rate(a) ? b : a));
  served.push(log.arms.ids[best]);
  for (; t < log.events && log.time[t] < (period + 1) * PERIOD; t++) {
    views[log.arm[t]]++;
    clicks[log.arm[t]] += log.payoff.steps[t];
  }
}

const result = await evaluate({
  log,
  policies: [
    {
      family: 'table',
      period: '5m',
      origin: new Date(first * PERIOD).toISOString(),
      tables: [{ name: 'best so far, every 5m', arms: served }],
    },
    policyFunctions({
      // Arm indices are in the order of entry, so the last candidate is the newest article.
      'newest article': (_context, candidates) => candidates[candidates.length - 1],
      'oldest article': (_context, candidates) => candidates[0],
      'by kind of user': (context, candidates) => {
        const kind = context.indexOf(Math.max(...context.subarray(0, 5)));
        return candidates[kind];
      },
    }),
    { family: 'uniform', seed: 1 },
  ],
});
console.log(toTable(result));
