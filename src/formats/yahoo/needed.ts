/** What a line should have had, for messages. */

import { DROPPED, FORGIVEN, LEFT_OUT } from './kinds.js';

export type YahooFormat = 'r6a' | 'r6b';

const SIX = 'the features 1 to 6, once each, e.g. 2:0.1';

const NEEDED: Readonly<Record<string, string>> = {
  [FORGIVEN.crlf]: 'lines that end in LF',
  [FORGIVEN.trailing]: 'nothing after the last token',
  [FORGIVEN.leading]: 'the timestamp first',
  [FORGIVEN.noUserFeatures]: 'at least the constant, feature 1',
  [FORGIVEN.userFeatureTwice]: 'each feature once',
  [FORGIVEN.articleTwice]: 'each article once',
  [LEFT_OUT.bareArticle]: SIX,
  [LEFT_OUT.shortArticle]: SIX,
  [DROPPED.timestamp]: 'seconds since 1970, in digits',
  [DROPPED.click]: '0 or 1',
  [DROPPED.noUser]: '|user',
  [DROPPED.feature]: 'a feature id, a colon and a number, e.g. 2:0.1',
  [DROPPED.featureId]: SIX,
  [DROPPED.featureTwice]: SIX,
  [DROPPED.value]: 'a finite decimal number',
  [DROPPED.shortUser]: SIX,
  [DROPPED.userIndex]: 'a whole number of 1 to 136',
  [DROPPED.extra]: 'blanks between the articles, and nothing else',
  [DROPPED.notInPool]: 'one of the articles of the line',
  [DROPPED.displayedShort]: `${SIX}, for the displayed article too`,
  [DROPPED.unknownArm]: 'an article of the list',
  [DROPPED.noLineEnd]: 'a line feed after the last line, where the line is whole',
};

export function needed(kind: string, format: YahooFormat): string {
  if (kind === DROPPED.tooFew || kind === DROPPED.noPool) {
    return format === 'r6a'
      ? 'timestamp, article, click, |user with six features, and |article with six features for each candidate'
      : 'timestamp, id-article, click, |user with its features, and |id-article for each candidate';
  }
  if (kind === DROPPED.displayedId) return format === 'r6a' ? 'digits, e.g. 109510' : 'id- and digits, e.g. id-552077';
  if (kind === DROPPED.articleId)
    return format === 'r6a' ? '| and digits, e.g. |109510' : '|id- and digits, e.g. |id-552077';
  return NEEDED[kind] ?? 'a line of the format';
}
