// What choices.as.ts adds up: for events of a tree that choose a place what tables have for it, and where it was logged the numbers of the
// event (numbers.as.ts). All go to the tree's block.
//   logged    place of the logged arm, slot by slot u32
// and in the chunk, where the last word of a tree's header says, in bytes:
//   rows      four numbers of each event and place of the tree, [boxes of level 1][places][16, or what the last holds][4] u32
//   firsts    what these come to over the first boxes, [boxes + 1][places][4] u64

import { addNumbers, bitsOf, pairs, words } from './numbers.as';

const TABLES_AT = 60;
let chunk: usize;
export let logged: usize;
/** Header of the tree, and places of its pool. */
export let tree: usize;
export let places: usize;
let rows: usize;
let firsts: usize;
/** Where the block's numbers are added up, and what tables have. */
let own: usize;
let ownTables: usize;

/** Sets where things lie. */
export function placeChosen(chunkAt: usize, loggedAt: usize): void {
  chunk = chunkAt;
  logged = loggedAt;
}

/** Goes to a tree of a pool of `count` places. */
export function enter(header: usize, count: usize, sums: usize): void {
  tree = header;
  places = count;
  own = sums + <usize>load<u32>(tree);
  ownTables = own + (pairs << 4);
  rows = chunk + <usize>load<u32>(tree, TABLES_AT);
  firsts = rows + (<usize>load<u32>(tree, 8) * places << 4);
}

/** Adds numbers of tables. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function addToTables(low: v128, high: v128): void {
  v128.store(ownTables, i64x2.add(v128.load(ownTables), low));
  v128.store(ownTables, i64x2.add(v128.load(ownTables, 16), high), 16);
}

/** Where the tables of box `box` of level 1, of `count` events, have place p; there four numbers of an event follow those of the one before. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function rowsOf(box: u32, count: u32, p: u32): usize {
  return rows + ((((<usize>box * places) << 4) + <usize>min(count, 16) * p) << 4);
}

/** Adds a slot that chooses what was logged. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function addMatch(slot: u32): void {
  addNumbers(words + <usize>slot * (pairs << 3), own);
}

/** Adds what the tables have for p in boxes from..to−1 of level 1. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function addBoxes(p: u32, from: u32, to: u32): void {
  const start = firsts + ((<usize>from * places + p) << 5);
  const end = firsts + ((<usize>to * places + p) << 5);
  addToTables(i64x2.sub(v128.load(end), v128.load(start)), i64x2.sub(v128.load(end, 16), v128.load(start, 16)));
}

/** Adds boxes from..to−1 of level 1, whose events all choose `p`. */
export function decide(p: u32, from: u32, to: u32): void {
  addBoxes(p, from, to);
  const events = load<u32>(tree, 8);
  const first = load<u32>(tree, 4);
  for (let box = from; box < to; box++) {
    const slot = first + (box << 4);
    for (let bits = loggedBits(slot, events - (box << 4), i32x4.splat(p)); bits != 0; bits &= bits - 1)
      addMatch(slot + <u32>ctz(bits));
  }
}

/** Which of 16 slots, of which the first `count` are there, were logged with a place. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function loggedBits(slot: u32, count: u32, p: v128): i32 {
  const at = logged + (<usize>slot << 2);
  const bits = bitsOf(
    i32x4.eq(v128.load(at), p),
    i32x4.eq(v128.load(at, 16), p),
    i32x4.eq(v128.load(at, 32), p),
    i32x4.eq(v128.load(at, 48), p),
  );
  return count < 16 ? bits & ((1 << <i32>count) - 1) : bits;
}

/** Adds the choice p of a slot of a tree, of a pool of `count` places. */
export function settle(slot: u32, header: usize, p: u32, count: i32, sums: usize): void {
  enter(header, <usize>count, sums);
  const event = slot - load<u32>(tree, 4);
  const box = event >> 4;
  const four = v128.load(rowsOf(box, load<u32>(tree, 8) - (box << 4), p) + (<usize>(event & 15) << 4));
  addToTables(i64x2.extend_low_i32x4_u(four), i64x2.extend_high_i32x4_u(four));
  if (load<u32>(logged + (<usize>slot << 2)) == p) addMatch(slot);
}
