// How long must a log be, and what do the first T valid events say? Algorithm 1 of the paper, and its Theorem 1.
// Run: node examples/algorithm-1.mjs
import { evaluate, planMatches, randomLinearPolicies, simulateToday, toTable } from 'hindcast';

const VALID_EVENTS = 2000;
const POOL = 20;

const plan = planMatches({ validEvents: VALID_EVENTS, arms: POOL, confidence: 0.95 });
console.log(`For ${VALID_EVENTS} valid events with ${POOL} candidates a policy consumes`);
console.log(`  ${plan.expected} logged events on average,`);
console.log(`  at most ${plan.exact} with probability 95 % (negative binomial quantile),`);
console.log(`  at most ${plan.bound} with probability 95 % (bound of Theorem 1).\n`);

// A log of the exact length: about one policy in twenty will not get its valid events.
const { log, theta } = simulateToday({ events: plan.exact, seed: 3, pool: POOL });
const shape = [40, log.arms.ids.length, log.contexts.dimension];
const data = randomLinearPolicies({ policies: shape[0], arms: shape[1], dimension: shape[2], seed: 4, theta });
const result = await evaluate({
  log,
  policies: [{ family: 'linear', weights: { data, shape } }],
  validEvents: VALID_EVENTS,
});
const consumed = result.policies.map((policy) => policy.consumed);
const mean = consumed.reduce((sum, events) => sum + events, 0) / consumed.length;
console.log(toTable({ ...result, omitted: 35, policies: result.policies.slice(0, 5) }));
console.log(`Consumed by the 40 policies: ${Math.round(mean)} events on average.`);
