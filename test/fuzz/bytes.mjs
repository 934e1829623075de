/** Mutations of binary files: bits, bytes, lengths, and spans of eight-byte words cut, doubled, swapped or taken from elsewhere. */

const MEBIBYTE = 2 ** 20;

/** Lengths, offsets and counts that a reader must not trust. */
const HUGE = [0xffffffff, 0x7fffffff, 0x80000000, 0x40000000, 0x10000000, 0x00ffffff, 0xffff, 0x8000, 256, 1, 0];

const flipBits = (bytes, random) => {
  for (let n = 1 + random.below(3); n > 0 && bytes.length > 0; n--)
    bytes[random.below(bytes.length)] ^= 1 << random.below(8);
  return bytes;
};
const setByte = (bytes, random) => {
  if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
};
/** A 32-bit word: huge, or a little off. */
const setWord = (bytes, random) => {
  if (bytes.length < 4) return bytes;
  const at = 4 * random.below(Math.floor(bytes.length / 4));
  const word = random.once(3) ? bytes.readUInt32LE(at) + random.below(17) - 8 : random.pick(HUGE);
  bytes.writeUInt32LE(word >>> 0, at);
  return bytes;
};
/** A 64-bit word: lengths and offsets of buffers. */
const setLong = (bytes, random) => {
  if (bytes.length < 8) return bytes;
  const at = 8 * random.below(Math.floor(bytes.length / 8));
  const words = [random.pick(HUGE), random.pick([0, 0, 0, 1, 0x1fffff, 0x7fffffff, 0xffffffff])];
  bytes.writeUInt32LE(words[0], at);
  bytes.writeUInt32LE(words[1], at + 4);
  return bytes;
};
const place = (bytes, random) => 8 * random.below(Math.floor(bytes.length / 8) + 1);
const span = (bytes, random) => {
  const from = place(bytes, random);
  return [from, Math.min(bytes.length, from + 8 * (random.once(3) ? random.below(64) : random.below(6)))];
};
const cut = (bytes, random) => {
  const [from, to] = span(bytes, random);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
};
const double = (bytes, random) => {
  const [from, to] = span(bytes, random);
  return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
};
const swap = (bytes, random) => {
  const [[a, b], [c, d]] = [span(bytes, random), span(bytes, random)].sort(([x], [y]) => x - y);
  if (b > c) return bytes;
  return Buffer.concat([
    bytes.subarray(0, a),
    bytes.subarray(c, d),
    bytes.subarray(b, c),
    bytes.subarray(a, b),
    bytes.subarray(d),
  ]);
};
const splice = (bytes, random, other) => {
  const [from, to] = span(other, random);
  const [a, b] = span(bytes, random);
  return Buffer.concat([bytes.subarray(0, a), other.subarray(from, to), bytes.subarray(b)]);
};
const shift = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  return Buffer.concat(
    [bytes.subarray(0, at), Buffer.alloc(1 + random.below(9), random.pick([0, 255, 1]))].concat(bytes.subarray(at)),
  );
};
const truncate = (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1));

const MUTATIONS = [
  flipBits,
  flipBits,
  setByte,
  setByte,
  setWord,
  setWord,
  setWord,
  setLong,
  setLong,
  cut,
  double,
  swap,
  splice,
  shift,
];

/**
 * One of `seeds`, mutated. @param random says which, and how.
 */
export function mutatedBytes(seeds, random) {
  let bytes = Buffer.from(random.pick(seeds));
  if (random.input % 20_000 === 19_999) return Buffer.concat([bytes, Buffer.alloc(100 * MEBIBYTE)]);
  const other = random.pick(seeds);
  let times = 1;
  while (times < 6 && random.once(2)) times++;
  // Words go on being written, so what is cut out of another is copied.
  for (let i = 0; i < times; i++) bytes = Buffer.from(random.pick(MUTATIONS)(bytes, random, other));
  return random.once(12) ? truncate(bytes, random) : bytes;
}
