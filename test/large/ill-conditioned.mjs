// Logs whose regressions lose digits, each from a seed and a power of two that sets the condition number. Nothing but + − × ÷ makes
// them, so they are the same on every machine.

/** Uniform numbers in [0, 1). */
function mulberry(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Rows of d columns each, of which some are large, alike, or follow from others. */
const CONTEXTS = {
  plain: (d, u) => () => Array.from({ length: d }, u),
  unix: (d, u) => (t) => [1.58e9 + 3600 * t + Math.floor(3600 * u()), ...bits(d - 2, u), 1],
  yyyymmdd: (d, u) => () => [20200101 + 100 * Math.floor(12 * u()) + Math.floor(28 * u()), ...bits(d - 2, u), 1],
  cents: (d, u) => () => {
    const cents = Math.floor(1e4 * u());
    return [cents, 100 * cents, ...Array.from({ length: d - 3 }, u), 1];
  },
  onehot: (d, u) => () => {
    const level = Math.floor((d - 1) * u());
    return [...Array.from({ length: d - 1 }, (_, j) => Number(j === level)), 1];
  },
  shares: (d, u) => () => {
    const parts = Array.from({ length: d - 1 }, u);
    const sum = parts.reduce((a, b) => a + b);
    return [...parts.map((part) => part / sum), 1];
  },
  powers: (d, u) => () => {
    const x = u();
    let power = 1;
    return Array.from({ length: d }, () => {
      const value = power;
      power *= x;
      return value;
    });
  },
  twice: (d, u) => () => {
    const x = u();
    return [...Array.from({ length: d - 1 }, () => x), u()];
  },
  nearly: (d, u) => () => {
    const x = u();
    return [x, x * (1 + u() / 2 ** 20), ...Array.from({ length: d - 2 }, u)];
  },
  unlike: (d, u) => () => Array.from({ length: d }, (_, j) => 16 ** -j * u()),
  offset: (d, u) => () => [...Array.from({ length: d - 1 }, () => 4096 + u()), 1],
};

const bits = (n, u) => Array.from({ length: n }, () => Math.floor(2 * u()));

export const KINDS = Object.keys(CONTEXTS);
export const ALGORITHMS = ['linucb', 'linucb-hybrid', 'lin-thompson'];
const EVENTS = 240;
/** [K, d], and [K, d, arm features]: few, since adapters compile a kernel for each. */
const SHAPES = {
  linucb: [
    [2, 3],
    [4, 5],
    [3, 8],
  ],
  'linucb-hybrid': [
    [3, 3, 2],
    [2, 4, 1],
  ],
};
/** Of a payoff: clicks, amounts with losses, revenue. */
const PAYOFFS = [
  (u, rate) => Number(u() < rate),
  (u, rate) => Math.floor(101 * u()) - 50 + Math.floor(20 * rate),
  (u, rate) => 1e6 * Number(u() < rate),
];

/**
 * @param exponent columns (or the first alone) are multiplied by this power of two.
 * @returns {{ algorithm: string, parameters: Record<string, number>, arms: number, context: number[][], arm: number[],
 *   payoff: number[], features?: number[][] }}
 */
export function illConditioned({ seed, kind, algorithm, exponent }) {
  const u = mulberry(seed);
  const shapes = SHAPES[algorithm] ?? SHAPES.linucb;
  const [arms, d, width] = shapes[seed % shapes.length];
  const scale = 2 ** exponent;
  const all = u() < 0.6;
  const row = CONTEXTS[kind](d, u);
  const context = Array.from({ length: EVENTS }, (_, t) => row(t).map((x, j) => (all || j === 0 ? scale * x : x)));
  const arm = context.map(() => Math.floor(arms * u()));
  const rate = Array.from({ length: arms }, () => 0.1 + 0.5 * u());
  const pay = PAYOFFS[[0, 0, 0, 0, 1, 2][Math.floor(6 * u())]];
  const payoff = arm.map((a) => pay(u, rate[a]));
  const width1 = [0, 0.1, 0.5, 1, 2][Math.floor(5 * u())];
  const lambda = [1, 1, 1, 0.01, 10][Math.floor(5 * u())];
  const parameters = { [algorithm === 'lin-thompson' ? 'v' : 'alpha']: width1, lambda };
  const features = width && Array.from({ length: arms }, () => [...Array.from({ length: width - 1 }, u), 1]);
  return { algorithm, parameters, arms, context, arm, payoff, ...(features && { features }) };
}
