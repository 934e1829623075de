// The multiplier bootstrap: of each draw the largest standardised sum over all policies, and the policy whose redrawn value is the
// largest. What they mean: src/estimate/selection/draws.ts. Host side: src/engine/gpu/draws.ts.
//
// One workgroup: 64 draws × a tile of rows (policies); a lane owns a draw and goes through the rows of the tile, four at a time, so
// that each multiplier is loaded once for four. Sums are integers below 2²⁴ and exact as f32; a product rounds them once, in the same
// way everywhere, and is followed by nothing that could be fused with it.
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   multipliers  [words][draws] u32, four blocks' i8 to a word
//   influences   [rows][words] u32, the same
//   scales       [rows][3] u32: bits of perSum (f32), offset (i32), bits of spread (f32)
//   maxima       [tiles][draws][4] u32: bits of the two-sided and the one-sided maximum and of the largest value, and its row

const LANES = 64u;
const LOWEST = -3.4028234e38;

struct Maxima { two: f32, one: f32, most: f32, best: u32 }

fn larger(found: Maxima, sum: i32, row: u32) -> Maxima {
  let at = row * 3u;
  let z = f32(sum) * bitcast<f32>(scales[at]);
  let value = f32(sum + bitcast<i32>(scales[at + 1u])) * bitcast<f32>(scales[at + 2u]);
  var next = found;
  next.two = max(found.two, abs(z));
  next.one = max(found.one, z);
  if (value > found.most) {
    next.most = value;
    next.best = row;
  }
  return next;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let draw = group.x * LANES + lane;
  if (draw >= params.draws) { return; }
  let first = group.y * params.tileRows;
  let end = min(params.rows, first + params.tileRows);
  var found = Maxima(0.0, LOWEST, LOWEST, first);
  for (var row = first; row < end; row += 4u) {
    // Rows beyond the end are the last one once more, which changes no maximum.
    let last = end - 1u;
    let rows = min(vec4u(row, row + 1u, row + 2u, row + 3u), vec4u(last));
    let at = rows * params.words;
    var sums = vec4i(0);
    for (var w = 0u; w < params.words; w++) {
      let own = multipliers[w * params.draws + draw];
      sums += vec4i(
        dot4I8Packed(own, influences[at.x + w]),
        dot4I8Packed(own, influences[at.y + w]),
        dot4I8Packed(own, influences[at.z + w]),
        dot4I8Packed(own, influences[at.w + w]),
      );
    }
    found = larger(found, sums.x, rows.x);
    found = larger(found, sums.y, rows.y);
    found = larger(found, sums.z, rows.z);
    found = larger(found, sums.w, rows.w);
  }
  let to = (group.y * params.draws + draw) * 4u;
  maxima[to] = bitcast<u32>(found.two);
  maxima[to + 1u] = bitcast<u32>(found.one);
  maxima[to + 2u] = bitcast<u32>(found.most);
  maxima[to + 3u] = found.best;
}
