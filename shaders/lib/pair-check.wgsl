// Does this adapter round as pairs need it to? One invocation computes with one row of operands; the host knows the answers.
//
// Host side: src/gpu/pair-check.ts (operands, judgement). Library: lib/pair.wgsl.
//
// Bindings:
//   operands  per row: pair a, pair b (b is not 0)
//   results   per row: a.x + b.x, a.x · b.x (both exact), then a · b, a / b and the square root of |a|

const RESULTS = 5u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x;
  if (row >= params.rows) { return; }
  let a = operands[row].xy;
  let b = operands[row].zw;
  let at = row * RESULTS;
  results[at] = pairSum(a.x, b.x);
  results[at + 1u] = pairProduct(a.x, b.x);
  results[at + 2u] = pairMul(a, b);
  results[at + 3u] = pairDiv(a, b);
  results[at + 4u] = pairSqrt(pairAbs(a));
}
