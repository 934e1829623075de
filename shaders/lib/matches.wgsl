// Matches policies with events as it decides, and adds up the columns of the matches: no choice is ever written.
//
// One workgroup: a segment (tiles of consecutive blocks, lanes of 4 · FOURS events of one block each) × `group` policies, tile after tile, so that
// events pass once for all of them. Sums are integers: no order changes them. A column of large words comes as two planes of 16 bits, and
// a segment has at most 2^16 events, so that a word holds every sum. Lanes add to the totals in workgroup memory, each of which is
// written once, at the end.
//
// The file placed after it has the policies, as hooks:
//   openGroup  policies first .. first + count − 1; a barrier follows
//   openTile   a tile, and the logged row that the lane's events share if they do
//   decide     sets `matched` of the lane's events, ALL or 0, for policy p of the group
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   index    segment table (first tile, last+1 tile, first row of sums, rows: one for each of its blocks), lanes (logged row | block's place in
//            the segment << 16), then what the hooks have
//   columns  per tile and plane: 64 · FOURS vec4 of words
//   sums     per row and policy: T, then a word for each plane

const WORDS = 1u + PLANES;
const ALL = 0xffffffffu;
// Planes that a lane keeps in registers; more are read again for each policy.
const KEPT = PLANES <= 2u;
const KEPT_LENGTH = select(1u, max(PLANES, 1u), KEPT);

var<workgroup> totals: array<atomic<u32>, GROUP * PLACES * WORDS>;
var<private> matched: array<vec4u, FOURS>;
var<private> kept: array<vec4u, KEPT_LENGTH * FOURS>;

fn sum4(v: vec4u) -> u32 { return v.x + v.y + v.z + v.w; }

fn wordsAt(plane: u32, f: u32, tile: u32, lane: u32) -> vec4u {
  return columns[(tile * PLANES + plane) * 64u * FOURS + f * 64u + lane];
}

// Adds a lane's words to a total; the first MAXIMA planes are reduced to their maximum.
fn reduce(at: u32, value: u32, isMaximum: bool) {
  if (value == 0u) { return; }
  if (isMaximum) { atomicMax(&totals[at], value); } else { atomicAdd(&totals[at], value); }
}

fn addMatches(to: u32, tile: u32, lane: u32) {
  var matches = 0u;
  for (var f = 0u; f < FOURS; f++) { matches += sum4(matched[f] & vec4u(1u)); }
  reduce(to, matches, false);
  for (var plane = 0u; plane < PLANES; plane++) {
    var value = 0u;
    for (var f = 0u; f < FOURS; f++) {
      var words = matched[f];
      if (KEPT) { words &= kept[f * KEPT_LENGTH + plane]; } else { words &= wordsAt(plane, f, tile, lane); }
      if (plane < MAXIMA) { value = max(max(value, max(words.x, words.y)), max(words.z, words.w)); }
      else { value += sum4(words); }
    }
    reduce(to + 1u + plane, value, plane < MAXIMA);
  }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  if (group.x >= params.segments) { return; }
  let segment = group.x * 4u;
  let places = index[segment + 3u];
  let first = group.y * params.group;
  let count = min(params.group, params.policies - first);
  openGroup(first, count, lane);
  for (var i = lane; i < GROUP * PLACES * WORDS; i += 64u) { atomicStore(&totals[i], 0u); }
  workgroupBarrier();
  for (var tile = index[segment]; tile < index[segment + 1u]; tile++) {
    let laneWord = index[params.lanes + tile * 64u + lane];
    openTile(tile, lane, laneWord & 0xffffu);
    if (KEPT) {
      for (var f = 0u; f < FOURS; f++) {
        for (var plane = 0u; plane < PLANES; plane++) { kept[f * KEPT_LENGTH + plane] = wordsAt(plane, f, tile, lane); }
      }
    }
    for (var p = 0u; p < count; p++) {
      decide(first, p, tile * 256u * FOURS + lane * 4u);
      addMatches(((laneWord >> 16u) * GROUP + p) * WORDS, tile, lane);
    }
  }
  workgroupBarrier();
  for (var i = lane; i < places * count * WORDS; i += 64u) {
    let place = i / (count * WORDS);
    let word = i % (count * WORDS);
    sums[((index[segment + 2u] + place) * params.policies + first) * WORDS + word] =
      atomicLoad(&totals[place * GROUP * WORDS + word]);
  }
}
