// Is replay right on average? Over many seeds, fixed policies are replayed and laid beside their true values on the same
// visits; learners are replayed until T valid events and laid beside the same learners running live for T visits
// (Theorem 1 of the paper: on a log of uniform choices both have one distribution, if the world stands still).
// Run: node examples/unbiased.mjs [--seeds 100] [--first 0] [--csv FILE]
import { epsilonGreedy, evaluate, linucb, online, policyFunctions, replay, simulate, ucb1 } from 'hindcast';
import { isMain, mean, optionsFrom, standardDeviation, table, writeCsv } from './lib/script.mjs';

/** T */
const VALID_EVENTS = 200;
const ALONE = { device: 'cpu', threads: 1 };

/** Fixed policies: a world that moves, with changing pages, drift and users who come again. */
async function fixedPolicies(seed) {
  const world = simulate({ events: 3000, seed, days: 1 });
  const { ids } = world.log.arms;
  const policies = [
    policyFunctions({
      'newest article': (_, page) => page[page.length - 1],
      'oldest article': (_, page) => page[0],
      'by membership': (x, page) => page[Math.floor(x[0] * page.length)],
    }),
    {
      family: 'table',
      keys: ['segment'],
      tables: [{ name: 'by kind of user', choices: { 1: ids[15], 2: ids[16] }, default: ids[17] }],
    },
    {
      family: 'linear',
      names: ['linear'],
      weights: [ids.map((_, a) => [1, 2, 3, 4, 5, 6].map((j) => ((a * j) % 7) - 3))],
    },
  ];
  const truth = await world.trueValues(policies);
  const { policies: replayed } = await evaluate({ log: world.log, policies, ...ALONE });
  return replayed.map(({ index, name, value }) => ({ index, name, replayed: value, known: truth[index].value }));
}

/** Learners: a world that stands still, whose visits are independent draws. */
async function learners(seed) {
  const still = { drift: 0, changesPerHour: 0, visitsPerSession: 1, pool: 5, clickRates: [0.05, 0.6] };
  // T valid events come from 5 T logged ones, give or take 63: 8 T are always enough.
  const world = simulate({ events: 8 * VALID_EVENTS, seed, ...still });
  const entries = [epsilonGreedy({ epsilon: 0.1 }), ucb1(), linucb({ alpha: 0.5 })];
  const { learners } = await replay(world.log, entries, { validEvents: VALID_EVENTS, seed, ...ALONE });
  const results = [];
  for (const [i, { index, name, mean, matches }] of learners.entries()) {
    if (matches !== VALID_EVENTS) throw new Error(`${name}: the log ended after ${matches} valid events`);
    const live = await online(world, entries[i], VALID_EVENTS, { seed, traffic: 1 + i });
    results.push({ index: 100 + index, name, replayed: mean, known: live.value });
  }
  return results;
}

/**
 * One row per policy and learner: means over the seeds, the mean difference, its standard error, and their ratio.
 */
export async function runUnbiased({ seeds = 100, first = 0 } = {}) {
  const found = new Map();
  const raw = [];
  for (let seed = first; seed < first + seeds; seed++) {
    for (const result of [...(await fixedPolicies(seed)), ...(await learners(seed))]) {
      if (!found.has(result.index)) found.set(result.index, []);
      found.get(result.index).push(result);
      raw.push([seed, result.name.replaceAll(',', ';'), result.replayed, result.known]);
    }
  }
  const rows = [...found]
    .sort(([a], [b]) => a - b)
    .map(([, results]) => {
      // A policy without matches has no estimate.
      const rated = results.filter(({ replayed, known }) => replayed !== null && known !== null);
      const differences = rated.map(({ replayed, known }) => replayed - known);
      const standardError = standardDeviation(differences) / Math.sqrt(rated.length);
      const difference = mean(differences);
      return {
        name: results[0].name,
        rated: rated.length,
        replayed: mean(rated.map(({ replayed }) => replayed)),
        known: mean(rated.map(({ known }) => known)),
        difference,
        standardError,
        z: difference / standardError,
      };
    });
  return { rows, raw };
}

if (isMain(import.meta.url)) {
  const options = optionsFrom({ seeds: 100, first: 0 });
  if (options.seeds < 2) {
    console.error('--seeds: at least 2 are needed, for a standard error');
    process.exit(2);
  }
  const { rows, raw } = await runUnbiased(options);
  console.log(`Means over ${options.seeds} simulated worlds; known: the true value of fixed policies on the`);
  console.log(`same visits, and of learners what they earn live in ${VALID_EVENTS} visits.`);
  console.log('error: the standard error of the difference; z: difference / error.\n');
  const cells = rows.map(({ name, replayed, known, difference, standardError, z }) => [
    name,
    replayed.toFixed(4),
    known.toFixed(4),
    difference.toFixed(5),
    standardError.toFixed(5),
    z.toFixed(2),
  ]);
  console.log(table(['policy', 'replay', 'known', 'difference', 'error', 'z'], cells));
  const worst = Math.max(...rows.map(({ z }) => Math.abs(z)));
  console.log(`\nLargest difference: ${worst.toFixed(2)} standard errors.`);
  if (options.csv !== undefined) console.log(await writeCsv(options.csv, ['seed', 'policy', 'replay', 'known'], raw));
}
