/** The state of every learner, taken out and put into a fresh one at any event: it goes on as if nothing had happened. */
import { describe, expect, it } from 'vitest';
import { ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import { candidatesAt } from '#dist/learner/candidates.js';
import { Draws } from '#dist/learner/draws.js';
import type { Learner } from '#dist/learner/learner.js';
import { ALGORITHMS } from '#dist/learner/set/algorithms.js';
import { parseLearnerSet, prepareLearners } from '#dist/learner/set/learner-set.js';
import { STREAM } from '#dist/random/threefry.js';
import { streamLog } from '../run/stream-log.js';

const MORE: Readonly<Record<string, object>> = {
  'epsilon-greedy': { c: 20 },
  'epoch-greedy': { segment: 'segment', exploit: 2 },
  semp: { segment: 'segment' },
  exp4: { experts: [{ family: 'constant' }, { family: 'uniform' }] },
  'linucb-hybrid': { shared: 'features' },
};

const L = 400;
const log = streamLog({ events: L });

describe.each(ALGORITHMS.map(({ name }) => name))('%s', (algorithm) => {
  /** Decisions from event `from` on, in which several updates may follow one decision, and the final state. */
  function play(learner: Learner, from: number, to: number): number[] {
    const chosen: number[] = [];
    for (let t = from; t < to; t++) {
      if (t % 7 !== 3) chosen.push(learner.choose(t, candidatesAt(log, t)));
      const steps = log.payoff.steps[t];
      learner.update(t, log.arm[t], steps, steps);
    }
    return chosen;
  }

  it.each([0, 1, 10, 129, 399])('goes on after event %i', async (cut) => {
    const [setting] = await prepareLearners(parseLearnerSet([{ algorithm, ...MORE[algorithm] }]), log);
    const fresh = () => setting.create(log, new Draws(5, 2, STREAM.exploration));
    const one = fresh();
    play(one, 0, cut);
    const writer = new ArchiveWriter();
    one.carry?.(writer);
    const bytes = writer.bytes().slice();
    const other = fresh();
    const reader = new ArchiveReader(bytes);
    other.carry?.(reader);
    reader.end();
    // Taking state out changes nothing, and what was put in is what comes out.
    const again = new ArchiveWriter();
    other.carry?.(again);
    expect([...again.bytes()]).toEqual([...bytes]);
    expect(play(other, cut, L)).toEqual(play(one, cut, L));
    expect(other.state()).toEqual(one.state());
    // A learner that learns has something to carry.
    if (algorithm !== 'random' && cut > 10) expect(fresh().state()).not.toEqual(one.state());
  });
});
