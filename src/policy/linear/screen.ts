/** Linear policies as they are screened: rows are arms, v are the weights, y is the context. */

import { contextCells } from '../../log/cells.js';
import type { PoolTable } from '../../log/event-log.js';
import type { DecisionLog, ScoredFamily } from '../scored-family.js';
import type { Screen } from '../screen.js';
import { type LinearPolicies, linearChoiceAt, linearScoresAt } from './cpu.js';
import { errorFactor, normOf, subnormalSlack } from './kernel.js';

export const linearScores: ScoredFamily<LinearPolicies> = {
  scores: 'arms',
  cells: (_, log) => contextCells(log),
  columns: (_, { contexts }) => contexts.columns,
  choice: linearChoiceAt,
  scoreCandidates: linearScoresAt,
  screen: (compiled, log) => new LinearScreen(compiled, log),
};

class LinearScreen implements Screen {
  readonly isDerived = false;
  readonly inputs = 'linear';
  readonly policies: number;
  readonly rows: number;
  readonly dimension: number;
  readonly pools: PoolTable;

  constructor(
    private readonly compiled: LinearPolicies,
    private readonly log: DecisionLog,
  ) {
    this.policies = compiled.policies;
    this.rows = compiled.arms;
    this.dimension = compiled.dimension;
    this.pools = log.pools;
  }

  weights(policy: number): Float32Array | Float64Array {
    const size = this.rows * this.dimension;
    return this.compiled.weights.subarray(policy * size, (policy + 1) * size);
  }

  /** Largest norm of a weight row. */
  norm(policy: number): number {
    const { rows, dimension, compiled } = this;
    let most = 0;
    for (let a = 0; a < rows; a++)
      most = Math.max(most, normOf(compiled.weights, (policy * rows + a) * dimension, dimension));
    return most;
  }

  private contextAt(event: number): number {
    const { row } = this.log.contexts;
    return (row === null ? event : row[event]) * this.dimension;
  }

  write(event: number, out: Float32Array | Float64Array, at: number, stride: number): void {
    const { values } = this.log.contexts;
    const from = this.contextAt(event);
    for (let j = 0, to = at; j < this.dimension; j++, to += stride) out[to] = values[from + j];
  }

  contextNorm(event: number): number {
    return normOf(this.log.contexts.values, this.contextAt(event), this.dimension);
  }

  errorFactor(contextNorm: number): number {
    return errorFactor(this.dimension, contextNorm);
  }

  slack(contextNorm: number, policyNorm: number): number {
    return subnormalSlack(this.dimension, contextNorm, policyNorm);
  }

  choice(policy: number, event: number): number {
    return linearChoiceAt(this.compiled, this.log, policy, event);
  }
}
