/** The pool part of a line: what it means, made once for equal bytes. */

import type { PoolBuilder } from '../../log/build/pool-builder.js';
import { FeatureParser, R6A_FEATURES } from './features.js';
import { DROPPED } from './kinds.js';
import { BAR, skipBlanks, startsWith, tokenEnd, wholeNumber } from './tokens.js';

/** What the pool part of a line says. Positions count from its first byte. */
export interface PoolText {
  /** Provisional pool of the builder; −1 where no article is left. */
  readonly pool: number;
  /** Provisional arm of each article of the pool, by id. */
  readonly arms: ReadonlyMap<number, number>;
  /** Articles left out for want of features. */
  readonly leftOut: ReadonlySet<number>;
  /** Deviations that leave the line an event, with the token of each. */
  readonly twice: readonly Token[];
  readonly bare: readonly Token[];
  readonly short: readonly Token[];
  /** What makes every line with this pool unusable; `null`: nothing. */
  readonly fault: (Token & { readonly kind: string }) | null;
}

export interface Token {
  readonly from: number;
  readonly to: number;
}

export interface PoolParserOptions {
  readonly builder: PoolBuilder;
  /** What article ids begin with: nothing, or `id-`. */
  readonly prefix: Uint8Array;
  /** Whether articles have features. */
  readonly features: boolean;
  /** Arms that there may be; `null`: any. */
  readonly allowed: ReadonlySet<string> | null;
}

const NONE: ReadonlyMap<number, number> = new Map();
const NOBODY: ReadonlySet<number> = new Set();

export class PoolParser {
  private readonly parser = new FeatureParser();
  private readonly armOf = new Map<number, number>();

  constructor(private readonly options: PoolParserOptions) {}

  /** Parses `bytes[from .. to)`, which begins with a bar and does not end in a blank. */
  parse(bytes: Uint8Array, from: number, to: number): PoolText {
    const { builder, features, prefix } = this.options;
    const arms = new Map<number, number>();
    const leftOut = new Set<number>();
    const versions: number[] = [];
    const [twice, bare, short]: Token[][] = [[], [], []];
    let at = from;
    while (at < to) {
      const end = tokenEnd(bytes, at, to);
      const token = { from: at - from, to: end - from };
      if (bytes[at] !== BAR) return unusable(DROPPED.extra, token);
      const hasPrefix = startsWith(bytes, at + 1, end, prefix);
      const id = hasPrefix ? wholeNumber(bytes, at + 1 + prefix.length, end) : -1;
      if (id < 0) return unusable(DROPPED.articleId, token);
      at = skipBlanks(bytes, end, to);
      let count = R6A_FEATURES;
      if (features) {
        const { parser } = this;
        at = parser.parse(bytes, at, to);
        if (parser.fault !== null)
          return unusable(parser.fault, { from: parser.faultFrom - from, to: parser.faultTo - from });
        count = parser.count;
      }
      if (arms.has(id)) twice.push(token);
      else if (count === R6A_FEATURES) {
        const arm = this.arm(id);
        if (arm < 0) return unusable(DROPPED.unknownArm, token);
        arms.set(id, arm);
        versions.push(builder.version(arm, this.parser.values));
      } else {
        leftOut.add(id);
        (count === 0 ? bare : short).push(token);
      }
    }
    const pool = versions.length === 0 ? -1 : builder.pool(versions);
    // A sound one may stand beside one that was left out.
    for (const id of arms.keys()) leftOut.delete(id);
    return { pool, arms, leftOut, twice, bare, short, fault: null };
  }

  private arm(id: number): number {
    let arm = this.armOf.get(id);
    if (arm === undefined) {
      const { allowed, builder } = this.options;
      const text = String(id);
      if (allowed !== null && !allowed.has(text)) return -1;
      arm = builder.arm(text);
      this.armOf.set(id, arm);
    }
    return arm;
  }
}

function unusable(kind: string, token: Token): PoolText {
  return { pool: -1, arms: NONE, leftOut: NOBODY, twice: [], bare: [], short: [], fault: { kind, ...token } };
}
