import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuContext } from '#dist/gpu/context.js';
import { WGSL } from '#dist/gpu/wgsl.generated.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { evaluateWgsl, ROW } from './evaluate-wgsl.js';
import { f64Of, Operands, type Pair, pairOf } from './pair-operands.js';

const LIBRARY: string = WGSL['lib/pair.wgsl'];
const COUNT = 6000;

let context: GpuContext;
beforeAll(async () => {
  context = new GpuContext((await openTestDevice()).device);
});
afterAll(() => context.close());

/** A function, its operands, its value in f64 and the magnitude that its error is relative to (default: the value). */
interface Case {
  readonly expression: string;
  readonly operands: (draw: Operands, i: number) => readonly Pair[];
  readonly value: (a: number, b: number, c: number, pairs: readonly Pair[]) => number;
  readonly scale?: (a: number, b: number, c: number) => number;
  /** log₂ of the error that is allowed; or that error in units of u², as it follows from that of `/` and `inverseSqrt`. */
  readonly bound: number | ((errors: Errors) => number);
}

/** Largest errors of `/` and `inverseSqrt` in units of u = 2⁻²⁴. */
interface Errors {
  readonly D: number;
  readonly E: number;
}

const U = 2 ** -24;
/** An ulp of x is at most 2 u |x|. WGSL, Accuracy of floating-point evaluation: 2.5 ulp, and 2. */
const WGSL_ERRORS: Errors = { D: 2.5 * 2, E: 2 * 2 };
/** Rounding in this file's own arithmetic, in units of u². */
const OWN = 0.25;

/** Derived where the functions are, in shaders/lib/pair.wgsl. Products of three errors vanish in `OWN`. */
const quotient = ({ D }: Errors) => 3 * D + 4 + (D + 2) * (D + 1);
const inverse = ({ D }: Errors) => 2 * D + 2 + 2 * (D + 1);
const squareRoot = ({ E }: Errors) =>
  E * (E + 1) + (E + 1) ** 2 / 2 + E / 2 + 1 / 8 + (4 * (E + 1) + 1) / 2 + E + 3 / 2;
const inverseSquareRoot = ({ E }: Errors) => (8 + 2 * E + 1) / 2 + (3 * (2 * E + 1)) / 2;
const logarithm = (errors: Errors) => 1.03 * (quotient(errors) + 4) + 9 + 3 * 8;
const EXPONENTIAL = 64;
const logistic = (errors: Errors) => EXPONENTIAL + 4 + inverse(errors) + 8;

/** A case's bound. */
function boundOf({ bound }: Case, errors: Errors): number {
  return typeof bound === 'number' ? 2 ** bound : (bound(errors) + OWN) * U * U;
}

const size = (a: number, b: number) => Math.abs(a) + Math.abs(b);
const sigmoid = (a: number) => (a >= 0 ? 1 / (1 + Math.exp(-a)) : Math.exp(a) / (1 + Math.exp(a)));
/** The sum of high and low word would round away what the logarithm of a pair near 1 is. */
const log = (a: number, [[high, low]]: readonly [Pair]) =>
  high > 0.5 && high < 2 ? Math.log1p(high - 1 + low) : Math.log(a);
const positive = (draw: Operands) => [draw.pair(60, 'positive')];

const CASES: Readonly<Record<string, Case>> = {
  pairAdd: {
    expression: 'pairAdd(a, b)',
    operands: (draw, i) => draw.near(60, i),
    value: (a, b) => a + b,
    scale: size,
    bound: -45,
  },
  pairSub: {
    expression: 'pairSub(a, pairNegate(b))',
    operands: (draw, i) => draw.near(60, i),
    value: (a, b) => a + b,
    scale: size,
    bound: -45,
  },
  pairMul: {
    expression: 'pairMul(a, b)',
    operands: (draw) => [draw.pair(30), draw.pair(30)],
    value: (a, b) => a * b,
    bound: -45,
  },
  pairScale: {
    expression: 'pairScale(a, b.x)',
    operands: (draw) => [draw.pair(30), draw.scalar(30)],
    value: (a, b) => a * b,
    bound: -45,
  },
  pairMulAdd: {
    expression: 'pairMulAdd(a, b, c)',
    operands: (draw, i) => draw.cancelling(30, draw.pair(30), i),
    value: (a, b, c) => a * b + c,
    scale: (a, b, c) => size(a * b, c),
    bound: -45,
  },
  pairMulAddScalar: {
    expression: 'pairMulAddScalar(a, b.x, c)',
    operands: (draw, i) => draw.cancelling(30, draw.scalar(30), i),
    value: (a, b, c) => a * b + c,
    scale: (a, b, c) => size(a * b, c),
    bound: -45,
  },
  pairDiv: {
    expression: 'pairDiv(a, b)',
    operands: (draw) => [draw.pair(30), draw.pair(30, 'nonzero')],
    value: (a, b) => a / b,
    bound: quotient,
  },
  pairInverse: {
    expression: 'pairInverse(a)',
    operands: (draw) => [draw.pair(60, 'nonzero')],
    value: (a) => 1 / a,
    bound: inverse,
  },
  pairSqrt: { expression: 'pairSqrt(a)', operands: positive, value: (a) => Math.sqrt(a), bound: squareRoot },
  pairInverseSqrt: {
    expression: 'pairInverseSqrt(a)',
    operands: positive,
    value: (a) => 1 / Math.sqrt(a),
    bound: inverseSquareRoot,
  },
  pairExp: {
    expression: 'pairExp(a)',
    operands: (draw, i) => [i % 2 === 0 ? draw.uniform(-58, 88) : draw.pair(2)],
    value: (a) => Math.exp(a),
    bound: -42,
  },
  pairLog: {
    expression: 'pairLog(a)',
    operands: positive,
    value: (a, _b, _c, pairs) => log(a, pairs as [Pair]),
    bound: logarithm,
  },
  'pairLog near 1': {
    expression: 'pairLog(a)',
    operands: (draw, i) => [i % 2 === 0 ? draw.uniform(0.5, 2) : draw.nearOne(i)],
    value: (a, _b, _c, pairs) => log(a, pairs as [Pair]),
    bound: logarithm,
  },
  pairSigmoid: {
    expression: 'pairSigmoid(a)',
    operands: (draw, i) => [i % 2 === 0 ? draw.uniform(-58, 200) : draw.pair(4)],
    value: sigmoid,
    bound: logistic,
  },
};

/** Operands of a case as rows, and as pairs. */
function prepare({ operands }: Case): { rows: Uint32Array; rowsOfPairs: (readonly Pair[])[] } {
  const draw = new Operands(7);
  const rows = new Float32Array(COUNT * ROW);
  const rowsOfPairs: (readonly Pair[])[] = [];
  for (let i = 0; i < COUNT; i++) {
    const pairs = operands(draw, i);
    rows.set(pairs.flat(), i * ROW);
    rowsOfPairs.push(pairs);
  }
  return { rows: new Uint32Array(rows.buffer), rowsOfPairs };
}

/** The largest error of a case; results beyond their bound, and such as are no normalized pairs, fail. */
async function worst(name: string, library = LIBRARY, errors = WGSL_ERRORS): Promise<number> {
  const one = CASES[name]!;
  const { expression, value, scale } = one;
  const { rows, rowsOfPairs } = prepare(one);
  const { result } = await evaluateWgsl(context, library, { result: expression }, rows);
  let largest = 0;
  rowsOfPairs.forEach((pairs, i) => {
    const [a, b, c] = pairs.map(f64Of) as [number, number, number];
    const got = f64Of([result[2 * i]!, result[2 * i + 1]!]);
    const want = value(a, b, c, pairs);
    const error = got === want ? 0 : Math.abs(got - want) / Math.abs(scale === undefined ? want : scale(a, b, c));
    const text = `${name}(${pairs.join('; ')}) = ${got}, not ${want}`;
    expect(Math.fround(got), `${text}: normalized`).toBe(result[2 * i]);
    expect(error, text).toBeLessThan(boundOf(one, errors));
    largest = Math.max(largest, error);
  });
  return largest;
}

describe(`pairs on ${ADAPTER}`, () => {
  it.each(Object.keys(CASES))('%s is within its bound', async (name) => {
    const [error, bound] = [await worst(name), boundOf(CASES[name]!, WGSL_ERRORS)].map((x) => Math.log2(x).toFixed(1));
    console.info(`${name}: worst error 2^${error}, bound 2^${bound}`);
  });

  it.each(['pairDiv', 'pairInverse', 'pairSqrt', 'pairInverseSqrt', 'pairLog', 'pairSigmoid'])(
    '%s is, too, where / and inverseSqrt are as far off as WGSL allows',
    async (name) => {
      // The device's own error comes on top.
      const twice = { D: 2 * WGSL_ERRORS.D, E: 2 * WGSL_ERRORS.E };
      for (const sign of [1, -1]) {
        const poor = LIBRARY.replace('opaque(a / b)', `opaque(a / b * (1.0 + ${sign * WGSL_ERRORS.D * U}))`).replace(
          'opaque(inverseSqrt(x))',
          `opaque(inverseSqrt(x) * (1.0 + ${sign * WGSL_ERRORS.E * U}))`,
        );
        await worst(name, poor, twice);
      }
    },
  );

  it('would not pass without guards that hold', async () => {
    // Both adapters keep to IEEE here unless told otherwise: this is what a compiler may do to (a + b) - a.
    const eager = LIBRARY.replace('opaque(s - x)', 'y').replace('opaque(s - fromY)', 'x');
    await expect(worst('pairAdd', eager)).rejects.toThrow(/pairAdd/);
  });
});

describe(`exact functions of pairs on ${ADAPTER}`, () => {
  /** An f32 (or a product of two) of at least 2⁻²⁰⁰, scaled to an integer. */
  const big = (x: number) => BigInt(x * 2 ** 200);

  async function run(expression: string, pairs: readonly (readonly Pair[])[]): Promise<Pair[]> {
    const rows = new Float32Array(pairs.length * ROW);
    pairs.forEach((row, i) => {
      rows.set(row.flat(), i * ROW);
    });
    const { result } = await evaluateWgsl(context, LIBRARY, { result: expression }, new Uint32Array(rows.buffer));
    return pairs.map((_, i) => [result[2 * i]!, result[2 * i + 1]!]);
  }

  const operands = (exponent: number) => {
    const draw = new Operands(11);
    return Array.from({ length: COUNT }, (_, i) => draw.scalars(exponent, i));
  };

  it('pairSum is the sum, its high word the rounded sum', async () => {
    const pairs = operands(60);
    const got = await run('pairSum(a.x, b.x)', pairs);
    got.forEach(([high, low], i) => {
      const [[a], [b]] = pairs[i] as [Pair, Pair];
      expect(big(high) + big(low), `${a} + ${b}`).toBe(big(a) + big(b));
      expect(Math.fround(high + low), `${a} + ${b}`).toBe(high);
    });
  });

  it('pairProduct is the product, its high word the rounded product', async () => {
    const pairs = operands(30);
    const got = await run('pairProduct(a.x, b.x)', pairs);
    got.forEach(([high, low], i) => {
      const [[a], [b]] = pairs[i] as [Pair, Pair];
      expect(big(high) + big(low), `${a} · ${b}`).toBe(big(a * b));
      expect(high, `${a} · ${b}`).toBe(Math.fround(a * b));
    });
  });

  it('no sum within pairProduct rounds, so that fused arithmetic gives the same (no adapter here fuses)', () => {
    const word = new Uint32Array(1);
    const upper = (x: number) => {
      const view = new Float32Array(word.buffer);
      view[0] = x;
      word[0] &= 0xfffff000;
      return view[0];
    };
    for (const [[a], [b]] of operands(30) as [Pair, Pair][]) {
      const [aHigh, bHigh, p] = [upper(a), upper(b), Math.fround(a * b)];
      const [aLow, bLow] = [a - aHigh, b - bHigh];
      // Every value here has fewer than 53 bits, so that f64 is exact.
      const parts = [aHigh * bHigh - p, aHigh * bLow, aLow * bHigh, aLow * bLow];
      parts.reduce((total, part) => {
        expect(Math.fround(part), `${a} · ${b}`).toBe(part);
        expect(Math.fround(total + part), `${a} · ${b}`).toBe(total + part);
        return total + part;
      }, 0);
    }
  });

  it('pairFromU32 and pairFromU64 are exact below 2⁴⁸', async () => {
    const hard = [
      0,
      1,
      2,
      0xffff,
      0x10000,
      0xffffff,
      0x1000001,
      0x7fffffff,
      0x80000000,
      0xffffff7f,
      0xffffff80,
      2 ** 32 - 1,
    ];
    const draw = new Operands(13);
    const words = [...hard, ...Array.from({ length: 1000 }, () => draw.word())];
    const rows = new Uint32Array(words.length * ROW);
    words.forEach((low, i) => {
      rows.set([low, i % 3 === 0 ? draw.word() : (draw.word() >>> 16) * (i % 3 === 1 ? 1 : 0)], i * ROW);
    });
    const { small, large } = await evaluateWgsl(
      context,
      LIBRARY,
      { small: 'pairFromU32(words.x)', large: 'pairFromU64(words.x, words.y)' },
      rows,
    );
    words.forEach((low, i) => {
      expect(f64Of([small[2 * i]!, small[2 * i + 1]!])).toBe(low);
      const want = rows[i * ROW + 1]! * 2 ** 32 + low;
      const got = f64Of([large[2 * i]!, large[2 * i + 1]!]);
      if (want < 2 ** 48) expect(got).toBe(want);
      else expect(Math.abs(got / want - 1)).toBeLessThan(2 ** -46);
    });
  });

  it('pairLess, pairMax, pairAbs and pairNegate are', async () => {
    const draw = new Operands(17);
    const pairs = Array.from({ length: COUNT }, (_, i) => {
      const [a, b] = draw.near(60, i) as [Pair, Pair];
      // Half of them differ in the low word only, or not at all.
      return i % 2 === 0 ? [a, [-b[0], -b[1]] as Pair] : [a, b];
    });
    const exactly = ([high, low]: Pair) => big(high) + big(low);
    const less = await run('vec2f(select(0.0, 1.0, pairLess(a, b)), select(0.0, 1.0, pairLess(b, a)))', pairs);
    const most = await run('pairMax(a, b)', pairs);
    const sizes = await run('pairAbs(pairNegate(a))', pairs);
    pairs.forEach(([a, b], i) => {
      const [x, y] = [exactly(a!), exactly(b!)];
      expect(less[i], `${a} < ${b}`).toEqual([Number(x < y), Number(y < x)]);
      expect(exactly(most[i]!)).toBe([x, y][Number(x < y)]);
      expect(exactly(sizes[i]!)).toBe(x < 0n ? -x : x);
    });
  });
});

describe(`functions of pairs at their ends on ${ADAPTER}`, () => {
  it('saturate, and are exact where they can be', async () => {
    const arguments_ = [0, 1, 4, 88, 89, 1e30, -87, -87.5, -89, -1e30];
    const rows = new Float32Array(arguments_.length * ROW);
    arguments_.forEach((x, i) => {
      rows.set(pairOf(x), i * ROW);
    });
    const results = await evaluateWgsl(
      context,
      LIBRARY,
      {
        exp: 'pairExp(a)',
        sigmoid: 'pairSigmoid(a)',
        sqrt: 'pairSqrt(a)',
        log: 'pairLog(pairAbs(a) + vec2f(1.0, 0.0))',
      },
      new Uint32Array(rows.buffer),
    );
    const at = (values: Float32Array, x: number) => {
      const i = arguments_.indexOf(x);
      return f64Of([values[2 * i]!, values[2 * i + 1]!]);
    };
    expect(at(results.exp, 0)).toBe(1);
    expect(at(results.exp, 89)).toBe(at(results.exp, 88));
    expect(at(results.exp, 1e30)).toBe(at(results.exp, 88));
    expect(at(results.exp, 88) / Math.exp(88)).toBeCloseTo(1, 12);
    expect(at(results.exp, -87) / Math.exp(-87)).toBeCloseTo(1, 6);
    for (const x of [-87.5, -89, -1e30]) expect(at(results.exp, x)).toBe(0);
    expect(at(results.sigmoid, 0)).toBe(0.5);
    expect([at(results.sigmoid, 1e30), at(results.sigmoid, -1e30)]).toEqual([1, 0]);
    expect([at(results.sqrt, 0), at(results.sqrt, 1), at(results.sqrt, 4)]).toEqual([0, 1, 2]);
    expect(at(results.log, 0)).toBe(0);
  });
});
