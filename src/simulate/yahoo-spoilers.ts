/** One function per fault of R6A and R6B text: a sound line in, the faulty text and what it means out. */

import { DROPPED, FORGIVEN, LEFT_OUT } from '../formats/yahoo/kinds.js';

/** A sound line, taken apart. A pool item is its `|article` and its features. */
export interface Line {
  readonly time: string;
  readonly displayed: string;
  readonly click: string;
  readonly user: readonly string[];
  readonly pool: readonly (readonly string[])[];
}

export interface Spoiled {
  /** Without the line feed. */
  readonly text: string;
  /** What a reader counts this under. */
  readonly kind: string;
  /** What the log loses: nothing, an article of the pool, the user's features, or the event. */
  readonly lost: 'nothing' | 'article' | 'user' | 'event';
  /** The article that is lost. */
  readonly article?: string;
}

/** A whole number in 0..n−1; `use` (0..7) tells draws for one line apart. */
type Draw = (n: number, use: number) => number;
type Spoiler = (line: Line, draw: Draw) => Spoiled;

/** The faults by name. */
export type Dirt =
  | 'crlf'
  | 'trailing'
  | 'leading'
  | 'blank'
  | 'articleTwice'
  | 'noUserFeatures'
  | 'userFeatureTwice'
  | 'bareArticle'
  | 'shortArticle'
  | 'cutHead'
  | 'cutUser'
  | 'cutPool'
  | 'noPool'
  | 'noUser'
  | 'badTimestamp'
  | 'badDisplayed'
  | 'badClick'
  | 'badFloat'
  | 'badFeature'
  | 'badFeatureId'
  | 'featureTwice'
  | 'badIndex'
  | 'badArticle'
  | 'articleText'
  | 'displayedMissing';

const text = ({ time, displayed, click, user, pool }: Line): string =>
  [time, displayed, click, '|user', ...user, ...pool.flat()].join(' ');

const forgiven =
  (kind: string, change: (sound: string, draw: Draw) => string): Spoiler =>
  (line, draw) => ({ text: change(text(line), draw), kind, lost: 'nothing' });

const dropping =
  (kind: string, change: (line: Line, draw: Draw) => string): Spoiler =>
  (line, draw) => ({ text: change(line, draw), kind, lost: 'event' });

const pick = <T>(list: readonly T[], draw: Draw, use: number): T => list[draw(list.length, use)];

/** The list with entry `i` replaced by what `change` makes of it. */
const changed = <T>(list: readonly T[], i: number, change: (entry: T) => T): T[] =>
  list.map((entry, j) => (j === i ? change(entry) : entry));

/** An article that loses features, so that it leaves its pool, with the event where it was the one displayed. */
const shortened =
  (kind: string, choose: (line: Line, draw: Draw) => number, keep: (draw: Draw) => number): Spoiler =>
  (line, draw) => {
    const i = choose(line, draw);
    const item = line.pool[i].slice(0, 1 + keep(draw));
    const article = line.pool[i][0].slice(1);
    const gone = article === line.displayed;
    return {
      text: text({ ...line, pool: changed(line.pool, i, () => item) }),
      kind: gone ? DROPPED.displayedShort : kind,
      lost: gone ? 'event' : 'article',
      article,
    };
  };

/** One feature of the user or of an article, replaced by what `change` makes of it. */
const otherFeature = (line: Line, draw: Draw, change: (feature: string) => string): string => {
  const block = draw(line.pool.length + 1, 1);
  if (block === line.pool.length) return text({ ...line, user: changed(line.user, draw(6, 2), change) });
  const item = changed(line.pool[block], 1 + draw(6, 2), change);
  return text({ ...line, pool: changed(line.pool, block, () => item) });
};

const anyItem = (line: Line, draw: Draw): number => draw(line.pool.length, 1);
const lastItem = (line: Line): number => line.pool.length - 1;

const BAD_VALUES = ['', 'nan', 'inf', '0.1.2', '1e999', '--1', '0x1p3', '0,5', '1_0', '٣'];
const both = (spoiler: Spoiler) => ({ r6a: spoiler, r6b: spoiler });
const r6a = (spoiler: Spoiler) => ({ r6a: spoiler, r6b: undefined });
const r6b = (spoiler: Spoiler) => ({ r6a: undefined, r6b: spoiler });

const userFeatureTwice: Spoiler = (line, draw) => ({
  text: text({ ...line, user: [...line.user, pick(line.user, draw, 1)] }),
  kind: FORGIVEN.userFeatureTwice,
  lost: 'nothing',
});

const articleTwice: Spoiler = (line, draw) => ({
  text: text({ ...line, pool: [...line.pool, pick(line.pool, draw, 1)] }),
  kind: FORGIVEN.articleTwice,
  lost: 'nothing',
});

const withDisplayed = (line: Line, displayed: string): string => text({ ...line, displayed });

export const SPOILERS: Readonly<Record<Dirt, { readonly r6a?: Spoiler; readonly r6b?: Spoiler }>> = {
  crlf: both(forgiven(FORGIVEN.crlf, (sound) => `${sound}\r`)),
  trailing: both(forgiven(FORGIVEN.trailing, (sound, draw) => sound + pick([' ', '  ', '\t', ' \t '], draw, 1))),
  leading: both(forgiven(FORGIVEN.leading, (sound, draw) => pick([' ', '\t'], draw, 1) + sound)),
  /** Before the line, which stays. */
  blank: both(forgiven(FORGIVEN.blank, (sound, draw) => `${pick(['', ' ', '\r', '\t '], draw, 1)}\n${sound}`)),
  articleTwice: both(articleTwice),
  noUserFeatures: r6b((line) => ({
    text: text({ ...line, user: [] }),
    kind: FORGIVEN.noUserFeatures,
    lost: 'user',
  })),
  userFeatureTwice: r6b(userFeatureTwice),
  bareArticle: r6a(shortened(LEFT_OUT.bareArticle, anyItem, () => 0)),
  shortArticle: r6a(shortened(LEFT_OUT.shortArticle, anyItem, (draw) => 1 + draw(5, 2))),
  /** Cut before the user. */
  cutHead: both(
    dropping(DROPPED.tooFew, ({ time, displayed, click }, draw) =>
      [time, displayed, click].slice(0, 1 + draw(3, 1)).join(' '),
    ),
  ),
  /** Cut within the user's features. */
  cutUser: r6a(
    dropping(DROPPED.shortUser, (line, draw) => text({ ...line, user: line.user.slice(0, draw(6, 1)), pool: [] })),
  ),
  /** Cut within the last article. */
  cutPool: r6a(shortened(LEFT_OUT.shortArticle, lastItem, (draw) => 1 + draw(5, 2))),
  noPool: both(dropping(DROPPED.noPool, (line) => text({ ...line, pool: [] }))),
  noUser: both(
    dropping(DROPPED.noUser, (line, draw) =>
      text(line).replace('|user', pick(['user', '|usr', '|', '|users'], draw, 1)),
    ),
  ),
  badTimestamp: both(
    dropping(DROPPED.timestamp, (line, draw) =>
      text({ ...line, time: pick(['12x', '-5', '1.5', '1e9', '99999999999999999', '\u0000'], draw, 1) }),
    ),
  ),
  badDisplayed: both(
    dropping(DROPPED.displayedId, (line, draw) => withDisplayed(line, pick(['id-', '7x', '0123', '-4', 'é'], draw, 1))),
  ),
  badClick: both(
    dropping(DROPPED.click, (line, draw) => text({ ...line, click: pick(['2', '01', '-1', 'x', '1.0'], draw, 1) })),
  ),
  badFloat: r6a(
    dropping(DROPPED.value, (line, draw) =>
      otherFeature(line, draw, (feature) => feature.slice(0, 2) + pick(BAD_VALUES, draw, 3)),
    ),
  ),
  badFeature: r6a(
    dropping(DROPPED.feature, (line, draw) => otherFeature(line, draw, () => pick(['x', '3', ':0.5', 'a:1'], draw, 3))),
  ),
  badFeatureId: r6a(
    dropping(DROPPED.featureId, (line, draw) =>
      otherFeature(line, draw, (feature) => pick(['0', '7', '12', '99999999999'], draw, 3) + feature.slice(1)),
    ),
  ),
  featureTwice: r6a(
    dropping(DROPPED.featureTwice, (line, draw) => otherFeature(line, draw, (feature) => `${feature} ${feature}`)),
  ),
  badIndex: r6b(
    dropping(DROPPED.userIndex, (line, draw) =>
      text({ ...line, user: [...line.user, pick(['0', '137', 'x', '1:1', '-3', '99999999999999999999'], draw, 1)] }),
    ),
  ),
  badArticle: both(
    dropping(DROPPED.articleId, (line, draw) => {
      const i = anyItem(line, draw);
      const item = changed(line.pool[i], 0, () => pick(['|', '|12x', '|id-12x', '|id-', '|-3', '|id-012'], draw, 2));
      return text({ ...line, pool: changed(line.pool, i, () => item) });
    }),
  ),
  articleText: r6b(
    dropping(DROPPED.extra, (line, draw) => {
      const i = anyItem(line, draw);
      return text({ ...line, pool: changed(line.pool, i, (item) => [...item, '2:0.500000']) });
    }),
  ),
  displayedMissing: both(
    dropping(DROPPED.notInPool, (line) => withDisplayed(line, line.displayed.replace(/\d+$/, '999999999999'))),
  ),
};
