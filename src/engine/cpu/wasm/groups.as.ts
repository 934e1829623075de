// The CPU engine's pass over groups of events: all events of a tree were logged with one row, and whole boxes of them are proved
// to match or not before any is looked at (src/engine/cpu/groups/trees.ts). f32, four to a SIMD register; doubts are for the caller.
//
// A tree lies in a chunk as levels of records. Box i = 4q + lane of quad q of level l holds quad i of level l − 1, and box i of level 1
// holds quads 4i..4i + 3 of events. Rows of records are four numbers, one for each lane.
//   records   of events d features, of boxes d centres and half-widths in turn; then the error factor; [quads][d + 1 or 2d + 1][4] f32
//   header    logged row, first slot, events, top level, boxes of the top level, then where each level lies in the chunk, in bytes u32
// and beside it, slot by slot:
//   blocks    what its block adds to an address of `sums` u32
//   words     its numbers (numbers.as.ts)
// of one policy:
//   w         weights [rows][d] f32
//   apart     what they are more than those of the logged row, [rows][d] f32
//   lists     for each level where rows of `apart` lie that may still win u32
//   opens     for each level and row of its list, bits of the boxes in which that row may win u8
//   sums      what is added up, [blocks][width] u64
//   doubtful  slots that could not be decided u32
//   counts    doubtful slots, events that were looked at, scores of quads of events, scores of quads of boxes u32

import { addNumbers, bitsOf, lanesOf, pairs, placeNumbers, words } from './numbers.as';

const HEADER = 20;
let w: usize;
let d: usize;
let rowBytes: usize;
let apart: usize;
let norm: f32;
let slack: f32;
let chunk: usize;
let lists: usize;
let listBytes: usize;
let opens: usize;
let blocks: usize;
let sums: usize;
let doubtful: usize;
let capacity: u32;

let tree: usize;
let own: usize;
let doubts: u32;
let looked: u32;
let eventScores: u32;
let boxScores: u32;

/** Sets where things lie. @param rows of weights. @param columns pairs of sums, and of sums and maxima. */
export function place(
  weightsAt: usize,
  dimension: i32,
  rows: i32,
  apartAt: usize,
  chunkAt: usize,
  listsAt: usize,
  opensAt: usize,
  blocksAt: usize,
  wordsAt: usize,
  pairsOfSums: i32,
  pairsOfAll: i32,
  doubtfulAt: usize,
  doubtfulCapacity: u32,
): void {
  w = weightsAt;
  d = <usize>dimension;
  rowBytes = d << 2;
  apart = apartAt;
  chunk = chunkAt;
  lists = listsAt;
  listBytes = <usize>rows << 2;
  opens = opensAt;
  blocks = blocksAt;
  placeNumbers(wordsAt, pairsOfSums, pairsOfAll);
  doubtful = doubtfulAt;
  capacity = doubtfulCapacity;
}

/** Begins a policy on the chunk. */
export function begin(policyNorm: f32, policySlack: f32, sumsAt: usize): void {
  norm = policyNorm;
  slack = policySlack;
  sums = sumsAt;
  doubts = 0;
  looked = 0;
  eventScores = 0;
  boxScores = 0;
}

/** Adds the words of slots from..to−1. */
export function add(from: u32, to: u32): void {
  for (let s = from; s < to; s++)
    addNumbers(words + <usize>s * (pairs << 3), sums + <usize>load<u32>(blocks + (<usize>s << 2)));
}

/** Makes a row of `apart`, of what lies as far into the weights, and what was logged. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function setApart(to: usize): void {
  const row = w + (to - apart);
  let j: usize = 0;
  for (; j + 16 <= rowBytes; j += 16) v128.store(to + j, f32x4.sub(v128.load(row + j), v128.load(own + j)));
  for (; j < rowBytes; j += 4) store<f32>(to + j, load<f32>(row + j) - load<f32>(own + j));
}

/**
 * Decides the 16 events of a box of level 1 among the rows of a list: four quads side by side, one of whose scores need not wait for the
 * others. Quads that a tree's last box lacks are read and count for nothing.
 *
 * @param flat count scores as if quads were looked at one after the other.
 * @returns false where too many are doubtful.
 */
function lookAt(box: u32, list: usize, listEnd: usize, flat: bool): bool {
  const quadBytes = (d + 1) << 4;
  const record = chunk + load<u32>(tree, HEADER) + (<usize>box << 2) * quadBytes;
  const record1 = record + quadBytes;
  const record2 = record1 + quadBytes;
  const record3 = record2 + quadBytes;
  const end = d << 4;
  const events = load<u32>(tree, 8) - (box << 4);
  const size = f32x4.splat(norm);
  const more = f32x4.splat(slack);
  const bound0 = f32x4.add(f32x4.mul(v128.load(record + end), size), more);
  const bound1 = f32x4.add(f32x4.mul(v128.load(record1 + end), size), more);
  const bound2 = f32x4.add(f32x4.mul(v128.load(record2 + end), size), more);
  const bound3 = f32x4.add(f32x4.mul(v128.load(record3 + end), size), more);
  let alive0 = lanesOf(0, events);
  let alive1 = lanesOf(1, events);
  let alive2 = lanesOf(2, events);
  let alive3 = lanesOf(3, events);
  let near0 = i32x4.splat(0);
  let near1 = near0;
  let near2 = near0;
  let near3 = near0;
  looked += min(events, 16);
  for (let l = list; l < listEnd; l += 4) {
    const row = <usize>load<u32>(l);
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (let at: usize = 0; at < end; at += 16) {
      const v = v128.load32_splat(row + (at >> 2));
      s0 = f32x4.add(s0, f32x4.mul(v, v128.load(record + at)));
      s1 = f32x4.add(s1, f32x4.mul(v, v128.load(record1 + at)));
      s2 = f32x4.add(s2, f32x4.mul(v, v128.load(record2 + at)));
      s3 = f32x4.add(s3, f32x4.mul(v, v128.load(record3 + at)));
    }
    eventScores += flat
      ? <u32>v128.any_true(alive0) + <u32>v128.any_true(alive1) + <u32>v128.any_true(alive2) + <u32>v128.any_true(alive3)
      : 4;
    alive0 = v128.andnot(alive0, f32x4.gt(s0, bound0));
    alive1 = v128.andnot(alive1, f32x4.gt(s1, bound1));
    alive2 = v128.andnot(alive2, f32x4.gt(s2, bound2));
    alive3 = v128.andnot(alive3, f32x4.gt(s3, bound3));
    if (!v128.any_true(v128.or(v128.or(alive0, alive1), v128.or(alive2, alive3)))) return true;
    near0 = v128.or(near0, f32x4.ge(s0, f32x4.neg(bound0)));
    near1 = v128.or(near1, f32x4.ge(s1, f32x4.neg(bound1)));
    near2 = v128.or(near2, f32x4.ge(s2, f32x4.neg(bound2)));
    near3 = v128.or(near3, f32x4.ge(s3, f32x4.neg(bound3)));
  }
  const first = load<u32>(tree, 4) + (box << 4);
  const unsure = bitsOf(near0, near1, near2, near3);
  for (let bits = bitsOf(alive0, alive1, alive2, alive3); bits != 0; bits &= bits - 1) {
    const slot = first + <u32>ctz(bits);
    if ((unsure & bits & -bits) != 0) {
      if (doubts == capacity) return false;
      store<u32>(doubtful + (<usize>doubts << 2), slot);
      doubts++;
    } else add(slot, slot + 1);
  }
  return true;
}

/**
 * Decides the boxes of quad q of a level, of `boxes` there are, among the rows of a list. The first visit makes these rows: where it
 * is the last one, too, only as many as it takes.
 *
 * @returns false where too many are doubtful.
 */
function visit(level: u32, q: u32, boxes: u32, list: usize, listEnd: usize, first: bool): bool {
  const record = chunk + load<u32>(tree + (<usize>level << 2), HEADER) + <usize>q * ((2 * d + 1) << 4);
  const end = record + (d << 5);
  const pairsEnd = record + ((d & ~1) << 5);
  const bound = f32x4.add(f32x4.mul(v128.load(end), f32x4.splat(norm)), f32x4.splat(slack));
  const under = f32x4.neg(bound);
  const open = opens + <usize>level * listBytes;
  let alive = lanesOf(q, boxes);
  let anyOpen = i32x4.splat(0);
  let to = open;
  for (let l = list; l < listEnd; l += 4) {
    let row = <usize>load<u32>(l);
    if (first) setApart(row);
    let more = f32x4.splat(0);
    let width = more;
    let at = record;
    for (; at < pairsEnd; at += 64) {
      const a = v128.load32_splat(row);
      const b = v128.load32_splat(row, 4);
      more = f32x4.add(more, f32x4.mul(a, v128.load(at)));
      width = f32x4.add(width, f32x4.mul(f32x4.abs(a), v128.load(at, 16)));
      more = f32x4.add(more, f32x4.mul(b, v128.load(at, 32)));
      width = f32x4.add(width, f32x4.mul(f32x4.abs(b), v128.load(at, 48)));
      row += 8;
    }
    if (at < end) {
      const a = v128.load32_splat(row);
      more = f32x4.add(more, f32x4.mul(a, v128.load(at)));
      width = f32x4.add(width, f32x4.mul(f32x4.abs(a), v128.load(at, 16)));
    }
    boxScores++;
    alive = v128.andnot(alive, f32x4.gt(f32x4.sub(more, width), bound));
    if (!v128.any_true(alive)) return true;
    const mayWin = f32x4.ge(f32x4.add(more, width), under);
    anyOpen = v128.or(anyOpen, mayWin);
    store<u8>(to++, <u8>i32x4.bitmask(mayWin));
  }
  const events = load<u32>(tree, 8);
  const undecided = i32x4.bitmask(anyOpen);
  for (let bits = i32x4.bitmask(alive); bits != 0; bits &= bits - 1) {
    const lane = <u32>ctz(bits);
    const child = (q << 2) + lane;
    if (((undecided >> lane) & 1) == 0) {
      const slot = load<u32>(tree, 4);
      const shift = (level + 1) << 1;
      add(slot + (child << shift), slot + min(events, (child + 1) << shift));
      continue;
    }
    const shorter = lists + <usize>level * listBytes;
    let next = shorter;
    let o = open;
    for (let l = list; l < listEnd; l += 4) {
      // Written in any case, and kept where the row may win: no branch to guess.
      store<u32>(next, load<u32>(l));
      next += <usize>((load<u8>(o++) >> <u8>lane) & 1) << 2;
    }
    if (level > 1) {
      const shift = level << 1;
      if (!visit(level - 1, child, (events + (1 << shift) - 1) >> shift, shorter, next, false)) return false;
    } else if (!lookAt(child, shorter, next, false)) return false;
  }
  return true;
}

/**
 * Decides trees, whose headers lie side by side, among the `length` rows of `list`.
 *
 * @param flat without looking at boxes.
 * @returns false where `doubtful` would hold more than its capacity: then not all is added.
 */
export function matchTrees(headers: usize, headerBytes: i32, count: i32, list: usize, length: i32, flat: bool, counts: usize): bool {
  let complete = true;
  for (let i = 0; i < count && complete; i++) {
    tree = headers + <usize>i * <usize>headerBytes;
    const logged = load<u32>(tree);
    own = w + <usize>logged * rowBytes;
    let end = lists;
    for (let l = 0; l < length; l++) {
      const other = load<u32>(list + (<usize>l << 2));
      store<u32>(end, <u32>(apart + <usize>other * rowBytes));
      end += other == logged ? 0 : 4;
    }
    if (flat) {
      for (let l = lists; l < end; l += 4) setApart(<usize>load<u32>(l));
      const boxes = (load<u32>(tree, 8) + 15) >> 4;
      for (let box: u32 = 0; box < boxes && complete; box++) complete = lookAt(box, lists, end, true);
    } else complete = visit(load<u32>(tree, 12), 0, load<u32>(tree, 16), lists, end, true);
  }
  store<u32>(counts, doubts);
  store<u32>(counts, looked, 4);
  store<u32>(counts, eventScores, 8);
  store<u32>(counts, boxScores, 12);
  return complete;
}
