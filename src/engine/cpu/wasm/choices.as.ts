// The CPU engine's choices over groups of events: all events of a tree have one pool and one block, and whole boxes of them are proved
// to be won by one arm before any is looked at (src/engine/cpu/groups/trees.ts). What choice tables have for the chosen arms is added up,
// and the numbers of events at which they were logged. f32, four to a SIMD register; doubts are for the caller.
//
// Trees are as groups.as.ts has them. Arms go by their places in the pool.
//   header    what the tree's block adds to an address of `sums`, first slot, events, top level, boxes of the top level, then where each
//             level lies in the chunk, in bytes u32
// of one policy:
//   w         weights [places][d] f32
//   lists     for each level the places that may still win, the first of which the others are compared with u32
//   opens     for each level and place of its list, bits of the boxes in which it may win beside the leader u8
//   leaders   for each level which of its list wins at the centre of each box [4] u32
//   uppers    how much more than the first of its list a place may score in four boxes [places][4] f32
//   chosen    places that 16 events choose u32
//   sums      what is added up, [blocks][2 · pairs] u64: numbers of matches, and as its last two pairs what tables have
//   doubtful  slots that could not be decided, and the headers of their trees [2] u32
//   counts    doubtful slots, events that were looked at, scores of quads of events, scores of quads of boxes u32

import { addBoxes, addMatch, addToTables, decide, enter, logged, placeChosen, places, rowsOf, tree } from './chosen.as';
export { settle } from './chosen.as';
import { lanesOf, placeNumbers } from './numbers.as';

const HEADER = 20;
const leaders = memory.data(10 << 4, 16);
const chosen = memory.data(64, 16);
let d: usize;
let rowBytes: usize;
let chunk: usize;
let lists: usize;
let listBytes: usize;
let opens: usize;
let uppers: usize;
let doubtful: usize;
let capacity: u32;

let w: usize;
let norm: f32;
let slack: f32;
let sums: usize;
let doubts: u32;
let looked: u32;
let eventScores: u32;
let boxScores: u32;

/** Sets where things lie. @param most places of a pool. @param pairsOfAll pairs of numbers of a slot: sums, and all. */
export function place(
  weightsAt: usize,
  dimension: i32,
  most: i32,
  chunkAt: usize,
  listsAt: usize,
  opensAt: usize,
  uppersAt: usize,
  loggedAt: usize,
  wordsAt: usize,
  pairsOfSums: i32,
  pairsOfAll: i32,
  doubtfulAt: usize,
  doubtfulCapacity: u32,
): void {
  w = weightsAt;
  d = <usize>dimension;
  rowBytes = d << 2;
  chunk = chunkAt;
  lists = listsAt;
  listBytes = (<usize>most + 1) << 2;
  opens = opensAt;
  uppers = uppersAt;
  placeChosen(chunkAt, loggedAt);
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

/**
 * Decides the 16 events of a box of level 1 among the places of a list: four quads side by side. Quads that a tree's last box lacks are
 * read and count for nothing.
 *
 * @returns false where too many are doubtful.
 */
function lookAt(box: u32, list: usize, listEnd: usize): bool {
  const quadBytes = (d + 1) << 4;
  const record = chunk + load<u32>(tree, HEADER) + (<usize>box << 2) * quadBytes;
  const end = d << 4;
  const events = load<u32>(tree, 8) - (box << 4);
  const slot = load<u32>(tree, 4) + (box << 4);
  // Scores are differences from the first, of which two are compared: their bounds add up.
  const size = f32x4.splat(2 * norm);
  const more = f32x4.splat(2 * slack);
  looked += min(events, 16);
  eventScores += <u32>(listEnd - list) - 4;
  const p = load<u32>(list);
  const first = w + <usize>p * rowBytes;
  const firstPlace = i32x4.splat(p);
  let proved = 0;
  let matches = 0;
  let firstBits = 0;
  // Two quads at a time: their best and second best scores and choices stay in registers.
  for (let half: usize = 0; half < 2; half++) {
    const quad = record + half * 2 * quadBytes;
    const quad1 = quad + quadBytes;
    let choice = firstPlace;
    let choice1 = firstPlace;
    let best = f32x4.splat(0);
    let best1 = best;
    let second = f32x4.splat(-Infinity);
    let second1 = second;
    for (let l = list + 4; l < listEnd; l += 4) {
      const other = load<u32>(l);
      const from = w + <usize>other * rowBytes;
      let s = f32x4.splat(0);
      let s1 = s;
      for (let at: usize = 0; at < end; at += 16) {
        const v = f32x4.splat(load<f32>(from + (at >> 2)) - load<f32>(first + (at >> 2)));
        s = f32x4.add(s, f32x4.mul(v, v128.load(quad + at)));
        s1 = f32x4.add(s1, f32x4.mul(v, v128.load(quad1 + at)));
      }
      const index = i32x4.splat(other);
      choice = v128.bitselect(index, choice, f32x4.gt(s, best));
      choice1 = v128.bitselect(index, choice1, f32x4.gt(s1, best1));
      // All scores are finite: pmax and pmin, one instruction each, are the maximum and minimum.
      second = f32x4.pmax(second, f32x4.pmin(s, best));
      second1 = f32x4.pmax(second1, f32x4.pmin(s1, best1));
      best = f32x4.pmax(best, s);
      best1 = f32x4.pmax(best1, s1);
    }
    const bound = f32x4.add(f32x4.mul(v128.load(quad + end), size), more);
    const bound1 = f32x4.add(f32x4.mul(v128.load(quad1 + end), size), more);
    const sure = f32x4.gt(f32x4.sub(best, second), bound);
    const sure1 = f32x4.gt(f32x4.sub(best1, second1), bound1);
    const at = logged + (<usize>slot << 2) + (half << 5);
    const equal = i32x4.eq(choice, v128.load(at));
    const equal1 = i32x4.eq(choice1, v128.load(at, 16));
    proved |= (i32x4.bitmask(sure) | (i32x4.bitmask(sure1) << 4)) << (<i32>half << 3);
    matches |= (i32x4.bitmask(equal) | (i32x4.bitmask(equal1) << 4)) << (<i32>half << 3);
    firstBits |= (i32x4.bitmask(i32x4.eq(choice, firstPlace)) | (i32x4.bitmask(i32x4.eq(choice1, firstPlace)) << 4)) << (<i32>half << 3);
    v128.store(chosen + (half << 5), choice);
    v128.store(chosen + (half << 5), choice1, 16);
  }
  const present = events < 16 ? (1 << <i32>events) - 1 : 0xffff;
  proved &= present;
  // Most choose the first: what the tables have for it in the whole box, and then what the others change.
  addBoxes(p, box, box + 1);
  const row = rowsOf(box, events, p);
  let low = i64x2.splat(0);
  let high = low;
  for (let bits = present & ~(proved & firstBits); bits != 0; bits &= bits - 1) {
    const four = v128.load(row + (<usize>ctz(bits) << 4));
    low = i64x2.sub(low, i64x2.extend_low_i32x4_u(four));
    high = i64x2.sub(high, i64x2.extend_high_i32x4_u(four));
  }
  for (let bits = proved & ~firstBits; bits != 0; bits &= bits - 1) {
    const i = <usize>ctz(bits);
    const four = v128.load(rowsOf(box, events, load<u32>(chosen + (i << 2))) + (i << 4));
    low = i64x2.add(low, i64x2.extend_low_i32x4_u(four));
    high = i64x2.add(high, i64x2.extend_high_i32x4_u(four));
  }
  addToTables(low, high);
  for (let bits = proved & matches; bits != 0; bits &= bits - 1) addMatch(slot + <u32>ctz(bits));
  for (let bits = present & ~proved; bits != 0; bits &= bits - 1) {
    if (doubts == capacity) return false;
    const at = doubtful + (<usize>doubts << 3);
    store<u32>(at, slot + <u32>ctz(bits));
    store<u32>(at, <u32>tree, 4);
    doubts++;
  }
  return true;
}

/**
 * Decides the boxes of quad q of a level, of `boxes` there are, among the places of a list.
 *
 * @returns false where too many are doubtful.
 */
function visit(level: u32, q: u32, boxes: u32, list: usize, listEnd: usize): bool {
  const record = chunk + load<u32>(tree + (<usize>level << 2), HEADER) + <usize>q * ((2 * d + 1) << 4);
  const end = record + (d << 5);
  const bound = f32x4.add(f32x4.mul(v128.load(end), f32x4.splat(norm)), f32x4.splat(slack));
  const first = w + <usize>load<u32>(list) * rowBytes;
  // The first scores 0 more than itself, at most and at least.
  let most = f32x4.splat(0);
  let least = most;
  let leader = i32x4.splat(0);
  let upper = uppers;
  let n = 0;
  for (let l = list + 4; l < listEnd; l += 4) {
    let row = w + <usize>load<u32>(l) * rowBytes;
    let from = first;
    let more = f32x4.splat(0);
    let width = more;
    for (let at = record; at < end; at += 32) {
      const a = f32x4.splat(load<f32>(row) - load<f32>(from));
      from += 4;
      more = f32x4.add(more, f32x4.mul(a, v128.load(at)));
      width = f32x4.add(width, f32x4.mul(f32x4.abs(a), v128.load(at, 16)));
      row += 4;
    }
    n++;
    v128.store(upper, f32x4.add(more, width));
    upper += 16;
    leader = v128.bitselect(i32x4.splat(n), leader, f32x4.gt(more, most));
    most = f32x4.pmax(most, more);
    least = f32x4.pmax(least, f32x4.sub(more, width));
  }
  boxScores += n;
  // What may at most come within the bounds of two of what some place has at least.
  const under = f32x4.sub(least, f32x4.add(bound, bound));
  const open = opens + <usize>level * listBytes;
  let mayWin = v128.andnot(f32x4.ge(f32x4.splat(0), under), i32x4.eq(leader, i32x4.splat(0)));
  let others = mayWin;
  store<u8>(open, <u8>i32x4.bitmask(mayWin));
  for (let i = 1; i <= n; i++) {
    mayWin = v128.andnot(f32x4.ge(v128.load(uppers + (<usize>i << 4) - 16), under), i32x4.eq(leader, i32x4.splat(i)));
    others = v128.or(others, mayWin);
    store<u8>(open + i, <u8>i32x4.bitmask(mayWin));
  }
  const winners = leaders + (<usize>level << 4);
  v128.store(winners, leader);
  const undecided = i32x4.bitmask(others);
  const events = load<u32>(tree, 8);
  for (let bits = i32x4.bitmask(lanesOf(q, boxes)); bits != 0; bits &= bits - 1) {
    const lane = <u32>ctz(bits);
    const child = (q << 2) + lane;
    const winner = load<u32>(list + (<usize>load<u32>(winners + (<usize>lane << 2)) << 2));
    if (((undecided >> lane) & 1) == 0) {
      const shift = (level - 1) << 1;
      decide(winner, child << shift, min((child + 1) << shift, (events + 15) >> 4));
      continue;
    }
    const shorter = lists + <usize>level * listBytes;
    store<u32>(shorter, winner);
    let next = shorter + 4;
    let o = open;
    for (let l = list; l < listEnd; l += 4) {
      // Written in any case, and kept where the place may win: no branch to guess.
      store<u32>(next, load<u32>(l));
      next += <usize>((load<u8>(o++) >> <u8>lane) & 1) << 2;
    }
    if (level > 1) {
      const shift = level << 1;
      if (!visit(level - 1, child, (events + (1 << shift) - 1) >> shift, shorter, next)) return false;
    } else if (!lookAt(child, shorter, next)) return false;
  }
  return true;
}

/** Lists all places, the one that scores most at the centre of the first box of a level before the others; returns the list's end. */
function listAll(level: u32): usize {
  const record = chunk + load<u32>(tree + (<usize>level << 2), HEADER);
  let winner: usize = 0;
  let most: f32 = -Infinity;
  for (let p: usize = 0; p < places; p++) {
    const row = w + p * rowBytes;
    let score: f32 = 0;
    for (let j: usize = 0; j < d; j++) score += load<f32>(row + (j << 2)) * load<f32>(record + (j << 5));
    if (score > most) {
      most = score;
      winner = p;
    }
    store<u32>(lists + (p << 2), <u32>p);
  }
  store<u32>(lists + (winner << 2), 0);
  store<u32>(lists, <u32>winner);
  return lists + (places << 2);
}

/**
 * Decides trees, whose headers lie side by side, of a pool of `count` places.
 *
 * @returns false where `doubtful` would hold more than its capacity: then not all is added.
 */
export function chooseTrees(headers: usize, headerBytes: i32, trees: i32, count: i32, counts: usize): bool {
  let complete = true;
  for (let i = 0; i < trees && complete; i++) {
    enter(headers + <usize>i * <usize>headerBytes, <usize>count, sums);
    const top = load<u32>(tree, 12);
    const end = listAll(top);
    complete = visit(top, 0, load<u32>(tree, 16), lists, end);
  }
  store<u32>(counts, doubts);
  store<u32>(counts, looked, 4);
  store<u32>(counts, eventScores, 8);
  store<u32>(counts, boxScores, 12);
  return complete;
}
