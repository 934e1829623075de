// The paper's first question: does replay say what a live bucket earns? The serving policy (estimated most popular: the
// article with the best click rate, chosen anew every five minutes from the exploration log) serves live visits to a
// simulated world, and is replayed on the log of the same days. Click rates per article, and per day.
// Run: node examples/bucket-test.mjs [--visits 5000000] [--live 1000000] [--days 10] [--views 0] [--seed 1] [--csv FILE]
// (The paper looks at articles with more than 20,000 views. --views 0: 20,000 per million live visits.)
import { emp, online, replay, simulate } from 'hindcast';
import { count, isMain, line, optionsFrom, table, writeCsv } from './lib/script.mjs';

const DAY = 86_400_000;
const UPDATES = { updateEvery: { period: 5 * 60_000 } };

/** Both sides, per article with at least `views` live views, and per day: `{ name, live, replayed }` of `{ views, clicks }`. */
export async function runBucketTest({ visits = 5_000_000, live = 1_000_000, days = 10, views = 0, seed = 1 } = {}) {
  const world = simulate({ events: visits, days, seed });
  const { log } = world;
  // New articles start at 3 clicks in 100 views.
  const serving = emp({ priorTrials: 100, priorPayoff: 3 });
  const bucket = await online(world, serving, live, { learnFrom: 'log', ...UPDATES });
  const { learners } = await replay(log, [serving], {
    learnFrom: 'all',
    ...UPDATES,
    replicas: true,
    blocks: { period: DAY },
    blockStatistics: true,
    device: 'cpu',
  });
  const [{ retained, blocks }] = learners[0].replicas;
  const shown = log.arms.ids.map(() => ({ views: 0, clicks: 0 }));
  for (const t of retained) {
    shown[log.arm[t]].views++;
    shown[log.arm[t]].clicks += log.payoff.steps[t];
  }
  const least = views === 0 ? Math.max(1, Math.round(0.02 * live)) : views;
  const articles = bucket.articles
    .map(({ id, ...own }, a) => ({ name: id, live: own, replayed: shown[a] }))
    .filter(({ live, replayed }) => live.views >= least && replayed.views > 0);
  const byDay = bucket.periods.map(({ start, ...own }, d) => ({
    name: new Date(start).toISOString().slice(0, 10),
    live: own,
    replayed: { views: blocks.matches[d], clicks: blocks.payoff[d] },
  }));
  return { least, bucket, learner: learners[0], articles, days: byDay };
}

const rate = ({ views, clicks }) => clicks / views;
/** Replayed rate over live rate, and its standard error, as far as it is the luck of clicks. */
function ratioOf({ live, replayed }) {
  const ratio = rate(replayed) / rate(live);
  return { ratio, error: ratio * Math.sqrt((1 - rate(live)) / live.clicks + (1 - rate(replayed)) / replayed.clicks) };
}
function cells(row) {
  const { name, live, replayed } = row;
  const { ratio, error } = ratioOf(row);
  const sides = [live, replayed].flatMap((side) => [count(side.views), rate(side).toFixed(4)]);
  return [name, ...sides, ratio.toFixed(3), error.toFixed(3)];
}
/** How the replayed rates of rows lie beside the live ones. */
function agreement(rows) {
  const rates = (side) => rows.map((row) => rate(row[side]));
  const { correlation, slope } = line(rates('live'), rates('replayed'));
  const near = rows.map(ratioOf).filter(({ ratio, error }) => Math.abs(ratio - 1) <= 2 * error);
  const within = `${near.length} of ${rows.length} ratios within two errors of 1`;
  return `${within}; correlation ${correlation.toFixed(3)}, slope ${slope.toFixed(3)}`;
}

if (isMain(import.meta.url)) {
  const options = optionsFrom({ visits: 5_000_000, live: 1_000_000, days: 10, views: 0, seed: 1 });
  const { least, bucket, learner, articles, days } = await runBucketTest(options);
  console.log(`The serving policy live: ${bucket.value.toFixed(4)} clicks per view in ${count(bucket.views)} views.`);
  console.log(
    `Replayed: ${learner.mean.toFixed(4)} in ${count(learner.matches)} valid events of ${count(options.visits)} logged.`,
  );
  console.log('ratio: replayed rate / live rate; ±: its standard error, by the luck of clicks.\n');
  const head = ['live views', 'live rate', 'replay views', 'replay rate', 'ratio', '±'];
  console.log(`Articles with at least ${count(least)} live views: ${articles.length}; the most viewed:`);
  const most = [...articles].sort((a, b) => b.live.views - a.live.views).slice(0, 15);
  console.log(table(['article', ...head], most.map(cells)));
  console.log(`${agreement(articles)}\n`);
  console.log(table(['day', ...head], days.map(cells)));
  console.log(agreement(days));
  if (options.csv !== undefined) {
    const columns = ['kind', 'name', 'live_views', 'live_clicks', 'replay_views', 'replay_clicks', 'ratio', 'error'];
    const rows = [...articles.map((row) => ['article', row]), ...days.map((row) => ['day', row])].map(([kind, row]) => {
      const { name, live, replayed } = row;
      return [kind, name, live.views, live.clicks, replayed.views, replayed.clicks, ...Object.values(ratioOf(row))];
    });
    console.log(await writeCsv(options.csv, columns, rows));
  }
}
