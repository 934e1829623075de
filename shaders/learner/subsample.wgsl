// The events of a chunk that are in a replica's subsample, in order: one workgroup per replica number.
//
// Event t is in the subsample where word(seed, stream `subsample`; t, replica) < threshold, as in
// src/engine/learner-cpu/replica.ts. Replicas of one number share a list whatever their learner.
//
// Constant: LANES, at most 64.
//   numbers   number of each row
//   lists     per row: how many, then the events, ascending (indices into the chunk)

var<workgroup> counts: array<u32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.x;
  if (row >= params.rows) { return; }
  let number = numbers[row];
  let home = row * params.listStride;
  var length = 0u;
  // Each lane draws for 32 events in a row and remembers them as bits; then lanes write behind those before them.
  for (var block = 0u; block < params.chunkEvents; block += LANES * 32u) {
    var bits = 0u;
    for (var i = 0u; i < 32u; i++) {
      let local = block + lane * 32u + i;
      let word = threefry2x32(vec2u(params.seed, params.stream), vec2u(params.firstEvent + local, number)).x;
      if (local < params.chunkEvents && word < params.threshold) { bits |= 1u << i; }
    }
    counts[lane] = countOneBits(bits);
    workgroupBarrier();
    var at = length;
    var total = 0u;
    for (var other = 0u; other < LANES; other++) {
      if (other < lane) { at += counts[other]; }
      total += counts[other];
    }
    while (bits != 0u) {
      lists[home + 1u + at] = block + lane * 32u + firstTrailingBit(bits);
      bits &= bits - 1u;
      at++;
    }
    length += total;
    workgroupBarrier();
  }
  if (lane == 0u) { lists[home] = length; }
}
