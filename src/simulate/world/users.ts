/** Users: what is known of them (features), and the shares of the five kinds that their clicks follow. */

import { R6B_FEATURES } from '../../formats/yahoo/users.js';
import { scaleToIndex } from '../../random/threefry.js';
import { PURPOSE, type WorldDraws } from '../draws.js';
import { KINDS } from './rates.js';

/** Features other than the constant that a user of R6B has. */
const FEWEST = 5;
const MOST = 30;
/** Share of them that belong to the user's favourite kind. */
const FAVOURED = 0.6;
const MILLION = 1_000_000;

/** Features of one user after another. */
export class Users {
  /** Shares of the kinds, at most 1 in sum. */
  readonly shares = new Float64Array(KINDS);
  /** R6B: the first `count` entries are the numbers 1..136 of the features that are on, in no order but that 1 is first. */
  readonly listed = new Uint8Array(1 + MOST);
  count = 0;
  private readonly taken = new Uint8Array(R6B_FEATURES + 1);
  private readonly raw = new Float64Array(KINDS + 1);

  constructor(
    private readonly kind: 'r6a' | 'r6b',
    private readonly draws: WorldDraws,
  ) {}

  /** Loads a user; as a guest, nothing is known of them. R6A has no guests. */
  load(user: number, guest: boolean): void {
    if (this.kind === 'r6a') this.memberships(user);
    else if (guest) {
      this.listed[0] = 1;
      this.count = 1;
      this.shares.fill(1 / KINDS);
    } else this.features(user);
  }

  /** Writes the context of the user that is loaded to `values[at ..]`, which is zero. */
  writeContext(values: Float64Array | Float32Array | Uint8Array, at: number): void {
    if (this.kind === 'r6a') {
      values.set(this.shares, at);
      values[at + KINDS] = 1;
    } else for (let i = 0; i < this.count; i++) values[at + this.listed[i] - 1] = 1;
  }

  /** The kind with the largest share, the first on ties; 0..4. */
  get segment(): number {
    let best = 0;
    for (let k = 1; k < KINDS; k++) if (this.shares[k] > this.shares[best]) best = k;
    return best;
  }

  /** Positive shares, mostly of one favourite, cut after six decimals: their sum falls short of 1 by a few millionths. */
  private memberships(user: number): void {
    const { raw, draws, shares } = this;
    let favourite = 0;
    for (let i = 0; i <= KINDS; i += 2) {
      const { first, second } = draws.draw(user, PURPOSE.user + i);
      raw[i] = share(first);
      raw[i + 1] = share(second);
      // The sixth word chooses the favourite.
      favourite = scaleToIndex(second, KINDS);
    }
    raw[favourite] += 1.5;
    const sum = raw[0] + raw[1] + raw[2] + raw[3] + raw[4];
    for (let k = 0; k < KINDS; k++) shares[k] = Math.floor((raw[k] / sum) * MILLION) / MILLION;
  }

  /** Feature j > 1 speaks for kind (j − 2) mod 5; a user's shares are those of what they have. */
  private features(user: number): void {
    const { draws, listed, taken, shares } = this;
    draws.draw(user, PURPOSE.user);
    const favourite = scaleToIndex(draws.first, KINDS);
    const others = FEWEST + scaleToIndex(draws.second, MOST - FEWEST + 1);
    taken.fill(0);
    shares.fill(0);
    listed[0] = 1;
    for (let i = 1; i <= others; i++) {
      const { first, second } = draws.draw(user, PURPOSE.user + i);
      const kind = first / 4294967296 < FAVOURED ? favourite : ((second & 0xffff) * KINDS) >>> 16;
      let j = 2 + kind + KINDS * scaleToIndex(second, (R6B_FEATURES - 1) / KINDS);
      // The next free one.
      while (taken[j] === 1) j = j === R6B_FEATURES ? 2 : j + 1;
      taken[j] = 1;
      listed[i] = j;
      shares[(j - 2) % KINDS]++;
    }
    for (let k = 0; k < KINDS; k++) shares[k] /= others;
    this.count = 1 + others;
  }
}

function share(word: number): number {
  const u = word / 4294967296;
  return 0.02 + u * u * u * u;
}
