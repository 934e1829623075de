/**
 * The main job on a simulated log whose truth is known (`npm run demo`): 200,000 visits to a news page that shows an
 * article at random; 2,000 linear policies replayed on them, ranked, and laid beside their true values.
 */
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { evaluate, randomLinearPolicies, simulateToday, trueLinearValues } from 'hindcast';
// Words and layout only; the command line uses the same.
import { describeAnswer } from '#dist/report/answer.js';
import { factLines } from '#dist/report/facts.js';
import { gridLines } from '#dist/report/grid.js';
import { count, duration, fixed, percent, prefixed } from '#dist/report/numbers.js';
import { PLAIN } from '#dist/report/style.js';
import { wrap } from '#dist/report/text.js';

const CONFIDENCE = 0.95;

/**
 * Simulates, evaluates and compares with the truth.
 *
 * @param options.every the truth of all policies is taken at every n-th visit, which adds a hundredth to the variance of
 *   the comparison; that of the policies shown, at every visit.
 */
export async function runDemo({ events = 200_000, policies = 2000, seed = 1, every = 25, device = 'auto' } = {}) {
  const seconds = {};
  const timed = async (stage, work) => {
    const started = performance.now();
    const done = await work();
    seconds[stage] = (performance.now() - started) / 1000;
    return done;
  };
  const world = await timed('simulate', () => simulateToday({ events, seed }));
  const { log, theta } = world;
  const shape = [policies, log.arms.ids.length, log.contexts.dimension];
  const weights = randomLinearPolicies({ policies, arms: shape[1], dimension: shape[2], seed: seed + 1, theta });
  const result = await timed('evaluate', () =>
    evaluate({
      log,
      policies: [{ family: 'linear', weights: { data: weights, shape } }],
      confidence: CONFIDENCE,
      blockStatistics: true,
      baseline: 'log',
      device,
    }),
  );
  const truth = await timed('truth', () => trueLinearValues(world, weights, { every }));
  const exactTruth = (indices) => trueLinearValues(world, weights, { policies: indices });
  return { world, result, truth, exactTruth, seconds, ...compare(result, truth) };
}

/** Coverage of the intervals and of the bands, and the mean of estimate − truth with its standard error. */
function compare({ policies, blocks }, truth) {
  const rated = policies.filter(({ value }) => value !== null);
  const covered = rated.filter(
    ({ index, interval: [low, high] }) => low <= truth[index] && truth[index] <= high,
  ).length;
  const banded = rated.filter(({ index, band: [low, high] }) => low <= truth[index] && truth[index] <= high).length;
  const meanError = rated.reduce((sum, { index, value }) => sum + value - truth[index], 0) / rated.length;
  // All policies are rated on the same visits, so their errors go together. What is independent is the visits, or runs
  // of them: every block's share in the mean error. (Click rates drift from block to block, which widens this a little.)
  let squares = 0;
  for (let b = 0; b < blocks.count; b++) {
    let share = 0;
    for (const { blocks: own, value, matches } of rated) share += (own.payoff[b] - value * own.matches[b]) / matches;
    squares += (share / rated.length) ** 2;
  }
  return {
    rated: rated.length,
    covered,
    banded,
    meanError,
    standardError: Math.sqrt((squares * blocks.count) / (blocks.count - 1)),
  };
}

/** The demo as text of at most 80 columns. */
export function describeDemo(demo, style = PLAIN) {
  const { world, result, truth, seconds, rated, covered, banded, meanError, standardError } = demo;
  const { engine, log, policies } = result;
  const trueOrder = [...truth.keys()].sort((a, b) => truth[b] - truth[a]);
  const trueRank = new Map(trueOrder.map((index, i) => [index, i + 1]));
  const middle = Math.ceil(policies.length / 2);
  const ranks = [...new Set([1, 2, 3, 4, 5, 6, 7, 8, middle, policies.length])].filter((r) => r <= policies.length);
  const shown = ranks.map((rank) => policies[rank - 1]);
  const best = trueOrder[0];
  const exact = demo.exactTruth([best, ...shown.map(({ index }) => index)]);
  const random = world.log.payoff.steps.reduce((sum, r) => sum + r, 0) / log.events;
  const device = engine.device === 'gpu' ? 'GPU' : 'CPU';
  const facts = [
    {
      label: 'log',
      text: `${count(log.events)} simulated visits; ${world.log.pools.arms.length / log.pools} of ${log.arms} articles on the page at a time, one shown at random; ${log.contextDimension} user features; ${percent(Number(random.toFixed(4)))} of visits end in a click`,
    },
    { label: 'policies', text: `${count(policies.length)} linear policies, from guessing to nearly the best` },
    {
      label: 'engine',
      text: `${device}: ${engine.adapter}, ${engine.threads} threads; ${prefixed(engine.decisions)} decisions in ${duration(engine.seconds)}, ${prefixed(engine.decisions / engine.seconds)} decisions/s`,
    },
    {
      label: 'time',
      text: `${duration(seconds.simulate)} to simulate, ${duration(seconds.evaluate)} to evaluate, ${duration(seconds.truth)} for the truth`,
    },
  ];
  const columns = [
    { head: 'rank', align: 'right' },
    { head: 'policy', align: 'left', flexible: true },
    { head: 'matches', align: 'right' },
    { head: 'clicks', align: 'right' },
    { head: 'value', align: 'right' },
    { head: `${percent(CONFIDENCE)} interval`, align: 'right' },
    { head: 'truth', align: 'right' },
    { head: 'true rank', align: 'right' },
  ];
  const rows = shown.map(({ name, index, matches, payoff, value, interval: [low, high] }, i) => [
    count(ranks[i]),
    name,
    count(matches),
    count(payoff),
    value === null ? 'none' : fixed(value, 4),
    `${fixed(low, 4)} to ${fixed(high, 4)}`,
    fixed(exact[i + 1], 4),
    count(trueRank.get(index)),
  ]);
  const bestPolicy = policies.find(({ index }) => index === best);
  const notes = [
    `${count(covered)} of ${count(rated)} intervals (${percent(Number((covered / rated).toFixed(4)))}) hold the true value. All policies are rated on one log, so their errors go together, and this share swings by several points from log to log.`,
    `Mean of estimate − truth: ${signed(meanError)}, standard error ${fixed(standardError, 5)}. Replay is right on average.`,
    `What is said of all at once allows for that: ${count(banded)} of ${count(rated)} bands hold the true value.`,
    `${describeAnswer(result)} The truth: it is worth ${fixed(exact[1], 4)}. The truly best policy, ${bestPolicy.name}, is worth ${fixed(exact[0], 4)}, ranks ${count(policies.indexOf(bestPolicy) + 1)} here and is ${bestPolicy.mayBeBest ? '' : 'not '}among those that may be the best.`,
  ];
  return [
    ...factLines(facts, style),
    '',
    ...gridLines(columns, rows, style),
    ...notes.flatMap((note) => ['', ...wrap(note, 80)]),
  ].join('\n');
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${fixed(Math.abs(value), 5)}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const bold = (text) => styleText('bold', text);
  const style = process.stdout.isTTY && !process.env.NO_COLOR ? { ...PLAIN, strong: bold } : PLAIN;
  console.log('Simulating a log, replaying 2,000 policies on it, computing their true values …\n');
  console.log(describeDemo(await runDemo(), style));
}
