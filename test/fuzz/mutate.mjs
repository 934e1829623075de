/** Mutations of text: what disks, editors, shells, other languages and bad luck make of a log. */

/** Numbers that parsers trip over. */
const NUMBERS = [
  ...['0', '-0', '00', '1', '-1', '2', '7', '1e308', '1e309', '-1e400', '4.9e-324', '1e-400', '1.7976931348623159e308'],
  ...['9007199254740993', '18446744073709551616', '4294967295', '4294967296', '2147483648', '-2147483649', '1e21'],
  ...[
    '0.1',
    '0.30000000000000004',
    '0.1234567890123456789',
    '123456789012345678.5',
    '.5',
    '5.',
    '.',
    '-',
    '+',
    '+1',
    'e5',
    '1e',
    '1e+',
    '0x10',
    '0b1',
    '1_000',
    '1,5',
    'NaN',
    'nan',
    'Infinity',
  ],
  ...['inf', '-inf', 'null', 'true', '""', '1'.repeat(400), `0.${'3'.repeat(400)}`, `1e${'9'.repeat(30)}`, '٣', '１'],
];

/** Bytes that are odd as UTF-8, or odd as characters. */
const ODD = [
  ...[
    '\ufeff',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u00a0',
    '\u200b',
    '\u202e',
    'é',
    'e\u0301',
    '😀',
    '\u{10ffff}',
    '\ufffd',
  ],
  ...[
    '\0',
    '\0\0\0\0',
    '\r',
    '\r\n',
    '\n',
    '\n\n',
    '\t',
    '\v',
    '\f',
    '\x1a',
    '\x1b[31m',
    '\x7f',
    '"',
    "'",
    '\\',
    '\\u0000',
  ],
]
  .map((text) => Buffer.from(text))
  .concat(
    [[0xff], [0xfe, 0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80], [0xe2, 0x82]].map((b) =>
      Buffer.from(b),
    ),
  );

const MEBIBYTE = 2 ** 20;

/** Cuts `bytes` at tokens: [from, to) of each maximal run without a separator. */
function tokensOf(bytes, separators) {
  const tokens = [];
  let from = -1;
  for (let i = 0; i <= bytes.length; i++) {
    const isToken = i < bytes.length && !separators.has(bytes[i]);
    if (isToken && from < 0) from = i;
    if (!isToken && from >= 0) {
      tokens.push([from, i]);
      from = -1;
    }
  }
  return tokens;
}

const LINE_ENDS = new Set([10]);

const splice = (bytes, from, to, ...middle) => Buffer.concat([bytes.subarray(0, from), ...middle, bytes.subarray(to)]);

/** A random span, mostly short. */
function span(bytes, random) {
  const from = random.below(bytes.length + 1);
  const most = random.once(4) ? bytes.length - from : Math.min(16, bytes.length - from);
  return [from, from + random.below(most + 1)];
}

const flipBits = (bytes, random) => {
  const copy = Buffer.from(bytes);
  for (let n = 1 + random.below(4); n > 0 && copy.length > 0; n--)
    copy[random.below(copy.length)] ^= 1 << random.below(8);
  return copy;
};
const setByte = (bytes, random) => {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[random.below(copy.length)] = random.below(256);
  return copy;
};
const cut = (bytes, random) => splice(bytes, ...span(bytes, random));
const double = (bytes, random) => {
  const [from, to] = span(bytes, random);
  return splice(bytes, from, from, bytes.subarray(from, to));
};
const truncate = (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1));
const behead = (bytes, random) => bytes.subarray(random.below(bytes.length + 1));
const oddBytes = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  return splice(bytes, at, at, random.pick(ODD));
};
const digit = (bytes, random) => {
  const copy = Buffer.from(bytes);
  const places = [];
  for (let i = 0; i < copy.length; i++) if (copy[i] >= 48 && copy[i] <= 57) places.push(i);
  if (places.length > 0) copy[random.pick(places)] = 48 + random.below(10);
  return copy;
};
const spliceOther = (bytes, random, other) => {
  const [from, to] = span(other, random);
  const [a, b] = span(bytes, random);
  return splice(bytes, a, b, other.subarray(from, to));
};

/** Drops, doubles, swaps, moves or replaces tokens; `separators` say what a token is. */
const onTokens = (separatorsOf) => (bytes, random, other, separators) => {
  const set = separatorsOf ?? separators;
  const tokens = tokensOf(bytes, set);
  if (tokens.length === 0) return bytes;
  const [from, to] = random.pick(tokens);
  const token = bytes.subarray(from, to);
  const [a, b] = random.pick(tokens);
  // The separator after a token goes with it.
  const end = Math.min(to + 1, bytes.length);
  switch (random.below(5)) {
    case 0:
      return splice(bytes, from, end);
    case 1:
      return splice(bytes, from, from, bytes.subarray(from, end));
    case 2:
      if (a === from) return bytes;
      return a < from
        ? Buffer.concat([
            bytes.subarray(0, a),
            token,
            bytes.subarray(b, from),
            bytes.subarray(a, b),
            bytes.subarray(to),
          ])
        : Buffer.concat([
            bytes.subarray(0, from),
            bytes.subarray(a, b),
            bytes.subarray(to, a),
            token,
            bytes.subarray(b),
          ]);
    case 3:
      return splice(bytes, a, b, token);
    default: {
      const others = tokensOf(other, set);
      if (others.length === 0) return bytes;
      const [c, d] = random.pick(others);
      return splice(bytes, from, to, other.subarray(c, d));
    }
  }
};
const onNumbers = (bytes, random, _, separators) => {
  const tokens = tokensOf(bytes, separators).filter(([from]) => bytes[from] >= 45 && bytes[from] <= 57);
  if (tokens.length === 0) return bytes;
  const [from, to] = random.pick(tokens);
  return splice(bytes, from, to, Buffer.from(random.pick(NUMBERS)));
};

const MUTATIONS = [
  ...[flipBits, setByte, cut, double, oddBytes, digit, spliceOther],
  ...[onTokens(null), onTokens(null), onTokens(null), onTokens(LINE_ENDS), onNumbers, onNumbers],
];

/** A line, a token or a run of blanks of 1 to 3 MiB, or of `bytes`. */
function longLine(bytes, random, length) {
  const at = random.below(bytes.length + 1);
  const fill = random.pick(['1', ' ', 'x', '\0', '0', ' 1', '|', ' |1', ':', '{', '[', '"', '\\', 'é']);
  return splice(bytes, at, at, Buffer.alloc(length, fill));
}

/**
 * Input number `random.input`: one of the seeds, mutated one to eight times.
 *
 * @param huge length of the longest lines, which one input in 20,000 has
 */
export function mutated(seeds, random, separators, huge = 100 * MEBIBYTE) {
  let bytes = random.pick(seeds);
  const other = random.pick(seeds);
  let times = 1;
  while (times < 8 && random.once(2)) times++;
  for (let i = 0; i < times; i++) bytes = random.pick(MUTATIONS)(bytes, random, other, separators);
  if (random.once(12)) bytes = (random.once(8) ? behead : truncate)(bytes, random);
  if (random.input % 20_000 === 19_999) return longLine(bytes, random, huge);
  if (random.once(1000)) return longLine(bytes, random, MEBIBYTE + random.below(2 * MEBIBYTE));
  return bytes;
}
