/**
 * Table 1 of Li, Chu, Langford & Wang 2011 (arXiv:1003.5956): click rates of 100 runs of each algorithm, each on a random
 * half of 4,000,000 visits of the Yahoo! Today Module on 1 May 2009. The paper divides its click rates by a constant that
 * it does not give. The figures are those of a reader's public notes on the paper, which was not at hand itself; their
 * std/mean is std over mean (tested), and what they give of the paper's case study agrees with serving-models.mjs.
 */
export const PAPER_TABLE_1 = {
  visits: 4_000_000,
  runs: 100,
  rows: {
    'epsilon-greedy': { mean: 1.2664, std: 0.0308, max: 1.3079, min: 1.1671, stdOverMean: '2.4 %' },
    ucb: { mean: 1.3278, std: 0.0192, max: 1.3661, min: 1.2812, stdOverMean: '1.4 %' },
    linucb: { mean: 1.3867, std: 0.0157, max: 1.4268, min: 1.3491, stdOverMean: '1.1 %' },
  },
};
