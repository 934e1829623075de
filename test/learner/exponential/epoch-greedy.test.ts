import { describe, expect, it } from 'vitest';
import { among, exploration, learner, plainLog } from '../helpers.js';

const every = among(0, 1, 2);
const draws = exploration();
const drawn = (event: number, n: number) => draws.index(event, n, 1);

describe('epoch-greedy', () => {
  it('explores once, then exploits s times what exploration showed', () => {
    const one = learner('epoch-greedy', { exploit: 2 }, plainLog(3));
    expect(one.choose(0, every)).toBe(drawn(0, 3));
    one.update(0, 2, 0, 0);
    // W = {(2, 0)}: the only explored arm.
    expect(one.choose(1, every)).toBe(2);
    one.update(1, 2, 1, 1); // exploitation teaches nothing
    expect(one.choose(2, every)).toBe(2);
    one.update(2, 2, 1, 1);
    expect(one.state()).toEqual({
      epochs: 1,
      exploitationLeft: 0,
      table: [{ segment: null, trials: [0, 0, 1], mean: [null, null, 0] }],
    });
    expect(one.choose(3, every)).toBe(drawn(3, 3));
    one.update(3, 1, 1, 1);
    expect(one.choose(4, every)).toBe(1);
    expect(one.choose(4, among(0, 2))).toBe(2);
    expect(one.choose(4, among(0))).toBe(0);
  });

  it('lengthens epochs as ⌊c √ℓ⌋', () => {
    const one = learner('epoch-greedy', { c: 1.5 }, plainLog(3));
    const roles: string[] = [];
    for (let step = 0; step < 12; step++) {
      const before = one.state().epochs;
      one.choose(0, every);
      one.update(0, 0, 0, 0);
      roles.push(one.state().epochs === before ? '.' : 'E');
    }
    // s = 1, 2, 2, 3
    expect(roles.join('')).toBe('E.E..E..E...');
  });

  it('with s = 0 only explores', () => {
    const one = learner('epoch-greedy', { exploit: 0 }, plainLog(3));
    for (let t = 0; t < 20; t++) {
      expect(one.choose(t, every)).toBe(drawn(t, 3));
      one.update(t, 0, 1, 1);
    }
  });

  it('has a best arm per value of the key column, lower index on ties', () => {
    const log = plainLog(3, 4, { keys: { kind: ['a', 'b', 'a', 'b'] } });
    const one = learner('epoch-greedy', { segment: 'kind', exploit: 1 }, log);
    const explore = (event: number, arm: number, payoff: number) => {
      one.choose(event, every);
      one.update(event, arm, payoff, payoff);
    };
    const exploit = (event: number, arm: number) => {
      expect(one.choose(event, every)).toBe(arm);
      one.update(event, arm, 1, 1);
    };
    explore(0, 1, 1); // a: arm 1 has 1
    exploit(2, 1);
    explore(1, 2, 0); // b: arm 2 has 0
    exploit(3, 2);
    explore(3, 1, 0); // b: arms 1 and 2 have 0
    exploit(1, 1);
    explore(2, 0, 1); // a: arms 0 and 1 have 1
    exploit(0, 0);
  });

  it('learns from all updates that follow an exploring decision', () => {
    const one = learner('epoch-greedy', { exploit: 5 }, plainLog(3));
    one.choose(0, every);
    one.update(0, 0, 1, 1);
    one.update(1, 1, 1, 1);
    expect(one.state().epochs).toBe(2);
    one.choose(2, every);
    one.update(2, 1, 1, 1);
    expect(one.state()).toMatchObject({ epochs: 2, exploitationLeft: 4 });
  });

  it('says which key column is missing', () => {
    const log = plainLog(3, 2, { keys: { segment: ['a', 'b'] } });
    expect(() => learner('epoch-greedy', { segment: 'segmnt' }, log)).toThrow(
      /no key column "segmnt"[\s\S]*did you mean "segment"/,
    );
  });
});
