/** What no layout says of a saved result: that its parts belong together. A file that was cut or edited by hand may not. */

import type { BlockRows, BlocksDescription } from '../block-rows.js';
import type { ReplayResult } from '../replay-result.js';
import type { EvaluationResult } from '../result.js';

/** Where in the result something is wrong, and what. */
export interface Disagreement {
  readonly path: string;
  readonly got: string;
  readonly needed: string;
}

/** `null`: all fits together. */
export function evaluationFault(result: EvaluationResult): Disagreement | null {
  const { policies, sequence, segments, selection, blocks, omitted = 0 } = result;
  const seen = new Set<number>();
  for (const [i, policy] of policies.entries()) {
    const at = `policies[${i}]`;
    if (seen.has(policy.index)) return { path: `${at}.index`, got: String(policy.index), needed: 'each index once' };
    seen.add(policy.index);
    const looks = policy.sequence;
    if (
      looks !== undefined &&
      (looks.lower.length !== sequence?.looks.length || looks.upper.length !== sequence.looks.length)
    )
      return {
        path: `${at}.sequence`,
        got: lengths(looks.lower, looks.upper),
        needed: `${sequence?.looks.length ?? 'no'} looks, as sequence has`,
      };
    if (policy.segments !== undefined && policy.segments.length !== segments?.levels.length)
      return {
        path: `${at}.segments`,
        got: `${policy.segments.length}`,
        needed: `${segments?.levels.length ?? 'no'} segments, as segments has`,
      };
    const fault = blockFault(`${at}.blocks`, policy.blocks, blocks);
    if (fault !== null) return fault;
  }
  return blocksFault(blocks) ?? winnerFault(selection, seen, omitted > 0);
}

/** `null`: all fits together. */
export function replayFault({ learners, blocks, selection }: ReplayResult): Disagreement | null {
  const seen = new Set<number>();
  for (const [i, learner] of learners.entries()) {
    if (seen.has(learner.index))
      return { path: `learners[${i}].index`, got: String(learner.index), needed: 'each index once' };
    seen.add(learner.index);
    for (const [r, replica] of (learner.replicas ?? []).entries()) {
      const fault = blockFault(`learners[${i}].replicas[${r}].blocks`, replica.blocks, blocks);
      if (fault !== null) return fault;
    }
  }
  return blocksFault(blocks) ?? winnerFault(selection, seen, false);
}

/** @param mayLack some are left out of the result. */
function winnerFault(
  selection: EvaluationResult['selection'],
  indices: ReadonlySet<number>,
  mayLack: boolean,
): Disagreement | null {
  const winner = selection?.winner ?? null;
  if (winner === null || indices.has(winner.index) || mayLack) return null;
  return { path: 'selection.winner.index', got: String(winner.index), needed: 'the index of one that is listed' };
}

function blockFault(path: string, rows: BlockRows | undefined, { count }: BlocksDescription): Disagreement | null {
  if (rows === undefined || (rows.matches.length === count && rows.payoff.length === count)) return null;
  return { path, got: lengths(rows.matches, rows.payoff), needed: `${count} of each, as blocks.count says` };
}

function blocksFault({ count, events, labels, logged }: BlocksDescription): Disagreement | null {
  for (const [name, list] of Object.entries({ events, labels, logged }))
    if (list !== undefined && list.length !== count)
      return { path: `blocks.${name}`, got: `${list.length}`, needed: `${count}, as blocks.count says` };
  return null;
}

function lengths(a: readonly number[], b: readonly number[]): string {
  return `${a.length} and ${b.length}`;
}
