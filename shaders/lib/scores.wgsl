// Scores v_r · y of a policy at a tile's cells, for every row r that the tile lists (arms, or feature rows of joint-linear policies).
//
// A tile is 64 lanes × FOURS vec4s of cells: slots 256 f + 4 l .. 4 l + 3 are vec4 f of lane l. Each load of a weight serves all cells
// of a lane. Registers of a lane: short contexts (HELD), DIMENSION · FOURS vec4s, which takes loops of known length; long ones are read
// again for every AT_ONCE rows. Weights of a workgroup's policies lie in workgroup memory where there is room (STAGE vec4s; 0: there is none).
//
// The kernel placed after it says what scores are for:
//   start      where the sum of a row begins: 0, or LOWEST for one that the lane must not count
//   candidate  takes the score of a row at vec4 f of the lane's cells
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   contexts  per tile: DIMENSION rows of 64 · FOURS vec4 (row j, vec4 f, lane l), then a row of error factors, −1 where there is no cell
//   weights   per policy: params.rows rows of QUADS vec4, then one vec4 (largest norm of a row, 1 if the policy is muted, 0, 0)
//   index     tile table (list offset, list length, mixed), lists (WHOLE: each is all rows and not read), and for mixed tiles the pool of each cell and pools as bit sets

const QUADS = (DIMENSION + 3u) / 4u;
const ROW = 64u * FOURS;
const TILE = 256u * FOURS;
const HELD = DIMENSION <= 16u;
const HELD_LENGTH = select(1u, max(DIMENSION, 1u), HELD);
const AT_ONCE = select(2u, 1u, HELD);
const STAGED = STAGE > 0u;

// Below every score, and so far that no score added to it leaves f32: the host lets only products of norms under 2^120 through.
const LOWEST = -1.7014118e38;

var<private> held: array<vec4f, HELD_LENGTH * FOURS>;
var<private> home: u32;
var<private> list: u32;
var<private> listLength: u32;
var<private> mixed: bool;
var<private> pools: array<vec4u, FOURS>;
var<private> firstPolicy: u32;
var<workgroup> stage: array<vec4f, max(STAGE, 1u)>;

// Makes policies first .. first + count − 1 of the dispatch those that `p` counts from here on. A barrier must follow.
fn takePolicies(first: u32, count: u32, lane: u32) {
  firstPolicy = params.firstPolicy + first;
  if (!STAGED) { return; }
  let size = params.rows * QUADS;
  for (var i = lane; i < count * size; i += 64u) { stage[i] = weights[(firstPolicy + i / size) * (size + 1u) + i % size]; }
}

fn weight(p: u32, row: u32, q: u32) -> vec4f {
  if (STAGED) { return stage[(p * params.rows + row) * QUADS + q]; }
  return weights[(firstPolicy + p) * (params.rows * QUADS + 1u) + row * QUADS + q];
}

// Largest norm of a row, and 1 where the policy is muted.
fn normOf(p: u32) -> vec4f { return weights[(firstPolicy + p + 1u) * (params.rows * QUADS + 1u) - 1u]; }

fn takeTile(tile: u32, lane: u32) {
  home = tile * (DIMENSION + 1u) * ROW + lane;
  let entry = params.tileTable + tile * 3u;
  list = params.lists + index[entry];
  listLength = index[entry + 1u];
  mixed = MIXED && index[entry + 2u] != 0u;
  for (var f = 0u; f < FOURS; f++) {
    if (HELD) { for (var j = 0u; j < DIMENSION; j++) { held[f * HELD_LENGTH + j] = contexts[home + j * ROW + f * 64u]; } }
    if (MIXED) { pools[f] = fourAt(params.cellPools, tile, f, lane); }
  }
}

// Four words of a table with one for each slot.
fn fourAt(table: u32, tile: u32, f: u32, lane: u32) -> vec4u {
  let at = table + tile * TILE + f * 256u + lane * 4u;
  return vec4u(index[at], index[at + 1u], index[at + 2u], index[at + 3u]);
}

fn errorFactor(f: u32) -> vec4f { return contexts[home + DIMENSION * ROW + f * 64u]; }

fn feature(j: u32, f: u32) -> vec4f {
  if (HELD) { return held[f * HELD_LENGTH + j]; }
  // Past the end the last feature is read again; its weight there is the padding's zero.
  return contexts[home + min(j, DIMENSION - 1u) * ROW + f * 64u];
}

// Scores of AT_ONCE rows: row r's of vec4 f in place r · FOURS + f.
fn scores(p: u32, rows: array<u32, AT_ONCE>, starts: array<f32, AT_ONCE>) -> array<vec4f, AT_ONCE * FOURS> {
  var s: array<vec4f, AT_ONCE * FOURS>;
  for (var r = 0u; r < AT_ONCE; r++) { for (var f = 0u; f < FOURS; f++) { s[r * FOURS + f] = vec4f(starts[r]); } }
  // The trip count of long contexts comes from a uniform, so that compilers keep this a loop.
  for (var q = 0u; q < select(params.quads, QUADS, HELD); q++) {
    var v: array<vec4f, AT_ONCE>;
    for (var r = 0u; r < AT_ONCE; r++) { v[r] = weight(p, rows[r], q); }
    for (var c = 0u; c < 4u; c++) {
      if (HELD && q * 4u + c >= DIMENSION) { continue; }
      for (var f = 0u; f < FOURS; f++) {
        let y = feature(q * 4u + c, f);
        for (var r = 0u; r < AT_ONCE; r++) { s[r * FOURS + f] += v[r][c] * y; }
      }
    }
  }
  return s;
}

fn rowAt(i: u32) -> u32 {
  if (WHOLE) { return i; }
  return index[list + i];
}

fn scoreList(p: u32) {
  for (var i = 0u; i < listLength; i += AT_ONCE) {
    var rows: array<u32, AT_ONCE>;
    var starts: array<f32, AT_ONCE>;
    for (var r = 0u; r < AT_ONCE; r++) {
      rows[r] = rowAt(min(i + r, listLength - 1u));
      starts[r] = start(rows[r]);
    }
    let s = scores(p, rows, starts);
    for (var r = 0u; r < AT_ONCE; r++) {
      if (r > 0u && i + r >= listLength) { break; }
      for (var f = 0u; f < FOURS; f++) {
        if (mixed) { candidate(rows[r], f, admit(s[r * FOURS + f], rows[r], pools[f])); }
        else { candidate(rows[r], f, s[r * FOURS + f]); }
      }
    }
  }
}

// LOWEST where the row is not a candidate of the cell; only tiles of mixed pools ask.
fn admit(score: vec4f, row: u32, pools: vec4u) -> vec4f {
  let at = params.poolBits + pools * params.poolWords + (row >> 5u);
  let bits = vec4u(index[at.x], index[at.y], index[at.z], index[at.w]);
  return select(vec4f(LOWEST), score, (bits & vec4u(1u << (row & 31u))) != vec4u(0u));
}
