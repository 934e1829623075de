// Threefry-2x32-20 (Salmon et al. 2011). In TypeScript: src/random/threefry.ts.

fn threefryRound(x: vec2u, rotation: u32) -> vec2u {
  let sum = x.x + x.y;
  return vec2u(sum, ((x.y << rotation) | (x.y >> (32u - rotation))) ^ sum);
}

fn threefryOdd(start: vec2u) -> vec2u {
  var x = threefryRound(start, 13u);
  x = threefryRound(x, 15u);
  x = threefryRound(x, 26u);
  return threefryRound(x, 6u);
}

fn threefryEven(start: vec2u) -> vec2u {
  var x = threefryRound(start, 17u);
  x = threefryRound(x, 29u);
  x = threefryRound(x, 16u);
  return threefryRound(x, 24u);
}

fn threefry2x32(key: vec2u, counter: vec2u) -> vec2u {
  let k2 = 0x1bd11bdau ^ key.x ^ key.y;
  var x = counter + key;
  x = threefryOdd(x) + vec2u(key.y, k2 + 1u);
  x = threefryEven(x) + vec2u(k2, key.x + 2u);
  x = threefryOdd(x) + vec2u(key.x, key.y + 3u);
  x = threefryEven(x) + vec2u(key.y, k2 + 4u);
  return threefryOdd(x) + vec2u(k2, key.x + 5u);
}

// ⌊u · n / 2³²⌋, exactly.
fn scaleToIndex(u: u32, n: u32) -> u32 {
  let high = u >> 16u;
  let low = u & 0xffffu;
  let nHigh = n >> 16u;
  let nLow = n & 0xffffu;
  // u·n = high·nHigh·2³² + (high·nLow + low·nHigh)·2¹⁶ + low·nLow
  let cross = high * nLow + ((low * nLow) >> 16u);
  let rest = low * nHigh + (cross & 0xffffu);
  return high * nHigh + (cross >> 16u) + (rest >> 16u);
}
