/// <reference types="@webgpu/types" preserve="true" />
/** hindcast's public names, in the order in which data flows: log → policies → engines → estimates → reports. */

// State on its way to a checkpoint, for learners of one's own
export type { Archive } from './archive.js';
// Errors
export { EngineError, type Fault, HindcastError, InputError, NotUniformError } from './errors.js';
// Block statistics and estimates
export { addBlockStatistics, type BlockStatistics, type Totals, totals } from './estimate/block-statistics.js';
export { type BlockPlan, periodBlocks, runBlocks, userBlocks } from './estimate/blocks.js';
export { INTERVAL_NAMES, type IntervalName, payoffInterval } from './estimate/interval/index.js';
export { planError, planMatches } from './estimate/plan.js';
export { replayEstimate } from './estimate/replay.js';
// The whole story
export { type EvaluateOptions, type EvaluateProgress, evaluate } from './evaluate.js';
// Learners
export type { Draws } from './learner/draws.js';
export {
  cemp,
  emp,
  epochGreedy,
  epsilonGreedy,
  exp3,
  exp3p,
  exp4,
  gammaPoisson,
  glmUcb,
  linrel,
  linThompson,
  linucb,
  linucbHybrid,
  random,
  semp,
  thompson,
  ucb,
  ucb1,
} from './learner/entries.js';
export type { Candidates, Learner } from './learner/learner.js';
export { type LearnerInput, parseLearnerSet } from './learner/learner-set.js';
export {
  type CandidateFeatures,
  type Candidates as CandidateColumn,
  type Id,
  type LogColumns,
  logFromColumns,
  type Matrix,
} from './log/columns.js';
// Event logs
export { type Conversion, type ConvertOptions, type ConvertProgress, convert } from './log/convert.js';
export { distinctStream, distinctViews } from './log/distinct-views.js';
export type {
  ArmDictionary,
  ArmFeatureTable,
  BadRows,
  ContextTable,
  EventLog,
  KeyColumn,
  PoolTable,
} from './log/event-log.js';
export type { Inspection } from './log/inspect.js';
export { inspect } from './log/inspect-files.js';
export { type Mapping, mappingJsonSchema, parseMapping } from './log/mapping.js';
export { type LogFiles, type OpenOptions, openLog } from './log/open.js';
export type { PayoffFromCost } from './log/read-options.js';
export { sortByTime } from './log/sort-by-time.js';
export type { LogStream } from './log/stream.js';
export { streamOf } from './log/stream-of.js';
export type { UniformityReport } from './log/uniformity.js';
// Fixed policies
export type { ChoicesSpec } from './policy/choices/spec.js';
export type { ConstantSpec } from './policy/constant/spec.js';
export type { PolicyInput, PolicySpec } from './policy/families.js';
export { type PolicyFunction, policyFunction, policyFunctions } from './policy/functions.js';
export type { JointSpec } from './policy/joint/spec.js';
export type { LinearSpec } from './policy/linear/spec.js';
export type { TypedWeights, Weights } from './policy/linear/weights.js';
export { decodeNpy, encodeNpy } from './policy/npy.js';
export { compilePolicySet, parsePolicySet } from './policy/policy-set.js';
export { policySetJsonSchema } from './policy/schema.js';
export type { TableSpec } from './policy/table/spec.js';
export type { UniformSpec } from './policy/uniform/spec.js';
export { type ReplayOptions, type ReplayProgress, replay } from './replay.js';
// Results
export { toCsv, toReplayCsv } from './report/csv.js';
export { toJson } from './report/json.js';
export { toParquet } from './report/parquet.js';
export { toReplayJson } from './report/replay-json.js';
export { type LearnerResult, REPLAY_VERSION, type ReplayResult, type ReplicaResult } from './report/replay-result.js';
export { toReplayTable } from './report/replay-table.js';
export { type EvaluationResult, type PolicyResult, RESULT_VERSION } from './report/result.js';
export { toTable } from './report/table.js';
// Engines
export type { Backend, EngineReport, RunOptions } from './run/backend.js';
export type { BlockChoice } from './run/block-choice.js';
export type { DeviceChoice } from './run/choose-backend.js';
export { CpuBackend, type CpuOptions } from './run/cpu.js';
export { GpuBackend, type GpuOptions } from './run/gpu.js';
export type { ReplayBackend, ReplayJob, ReplayOutcome, UpdateEvery } from './run/replay-backend.js';
export { CpuReplayBackend } from './run/replay-cpu.js';
export { type Verification, type VerifyReplayOptions, verifyReplay } from './run/replay-verify.js';

// Simulated worlds whose truth is known
export { randomLinearPolicies } from './simulate/linear-policies.js';
export { type OnlineOptions, type OnlineResult, online } from './simulate/online.js';
export { SimulatedWorld, type SimulateOptions, simulate } from './simulate/simulate.js';
export { simulateToday } from './simulate/today.js';
export { type KnownWorld, type TrueValue, trueLinearValues, trueValue, trueValues } from './simulate/truth.js';
export type { LoggingPolicy, WorldOptions } from './simulate/world/options.js';
export { World } from './simulate/world/world.js';
