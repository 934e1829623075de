/**
 * The ways in which lines of R6A and R6B deviate, under the names that they are counted by.
 *
 * A line that is dropped counts once, under the first fault that makes it unusable. A line that is kept counts all its
 * deviations: each once, articles left out of a pool once per article.
 */

/** Deviations that lose nothing: always read, counted, and an error under `strict` only. */
export const FORGIVEN = {
  crlf: 'line ends in CR LF',
  trailing: 'blanks at the end of a line',
  leading: 'blanks at the beginning of a line',
  blank: 'blank line',
  noUserFeatures: 'user without features',
  userFeatureTwice: 'user feature is listed twice',
  articleTwice: 'article is twice in a pool; the first is kept',
} as const;

/** An article that is left out of its pool; the event stays. Wants `skipBadRows`. */
export const LEFT_OUT = {
  bareArticle: 'article has no features; it is left out of the pool',
  shortArticle: 'article has too few features; it is left out of the pool',
} as const;

/** Lines that are no event. Wants `skipBadRows`. */
export const DROPPED = {
  tooLong: 'line is too long',
  tooFew: 'line has too few fields',
  timestamp: 'timestamp is not a whole number of seconds',
  displayedId: 'displayed article is not an article id',
  click: 'click is neither 0 nor 1',
  noUser: 'no |user after the click',
  feature: 'not a feature',
  featureId: 'feature is not one of 1 to 6',
  featureTwice: 'feature is given twice',
  value: 'feature value is not a finite number',
  shortUser: 'user has too few features',
  userIndex: 'user feature is not one of 1 to 136',
  noPool: 'no articles after the user',
  articleId: 'not an article id in the pool',
  extra: 'text after an article that has no features',
  notInPool: 'displayed article is not in the pool',
  displayedShort: 'displayed article has too few features, or none',
  unknownArm: 'article is not in the given list of arms',
  payoffRange: 'payoff is outside the declared range',
  noLineEnd: 'last line does not end in a line feed: the file may be cut',
} as const;
