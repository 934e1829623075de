/// <reference types="@webgpu/types" preserve="true" />
/** hindcast's public names, in the order in which data flows: log → policies → engines → estimates → reports. */

// State on its way to a checkpoint, for learners of one's own
export type { Archive } from './archive.js';
export type { DeviceChoice } from './engine/choose.js';
// Engines
export type { Backend, EngineReport, RunOptions } from './engine/contract.js';
export { CpuBackend, type CpuOptions } from './engine/cpu/backend.js';
export { GpuBackend, type GpuOptions } from './engine/gpu/backend.js';
export type { ReplayBackend, ReplayJob, ReplayOutcome, UpdateEvery } from './engine/learner-contract.js';
export { CpuReplayBackend } from './engine/learner-cpu/backend.js';
export { type Verification, type VerifyReplayOptions, verifyReplay } from './engine/verify/learners.js';
// Errors
export { EngineError, type Fault, HindcastError, InputError, NotUniformError } from './errors.js';
export { periodBlocks, userBlocks } from './estimate/blocks/block-makers.js';
export { type BlockPlan, runBlocks } from './estimate/blocks/blocks.js';
export { replayEstimate, totals } from './estimate/estimators/replay-totals.js';
export { INTERVAL_NAMES, type IntervalName, payoffInterval } from './estimate/interval/index.js';
export { planError, planMatches } from './estimate/plan.js';
// Block statistics and estimates
export { addBlockStatistics, type BlockStatistics } from './estimate/sums/block-statistics.js';
export type { Totals } from './estimate/sums/exact-sums.js';
// The whole story
export { type EvaluateOptions, type EvaluateProgress, evaluate } from './evaluate.js';
// Learners
export type { Draws } from './learner/draws.js';
export type { Candidates, Learner } from './learner/learner.js';
export * from './learner/set/entries.js';
export { type LearnerInput, parseLearnerSet } from './learner/set/learner-set.js';
export type { Impute } from './log/build/missing.js';
export type { UniformityReport } from './log/checks/uniformity.js';
export type {
  ArmDictionary,
  ArmFeatureTable,
  BadRows,
  ContextTable,
  EventLog,
  KeyColumn,
  MissingValues,
  PayoffFromCost,
  PoolTable,
  Thinned,
} from './log/event-log.js';
export {
  type CandidateFeatures,
  type Candidates as CandidateColumn,
  type Id,
  type LogColumns,
  logFromColumns,
  type Matrix,
} from './log/from-columns/columns.js';
export { type Mapping, mappingJsonSchema, parseMapping } from './log/mapping.js';
export type { LogStream } from './log/stream.js';
export { streamOf } from './log/stream-of.js';
export { distinctStream, distinctViews } from './log/views/distinct-views.js';
export { sortByTime } from './log/views/sort-by-time.js';
export { type ThinOptions, thinLog, thinStream } from './log/views/thin.js';
// Event logs
export { type Conversion, type ConvertOptions, type ConvertProgress, convert } from './open/convert.js';
export type { Inspection } from './open/inspect.js';
export { inspect } from './open/inspect-files.js';
export { type LogFiles, type OpenOptions, openLog } from './open/open.js';
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
export { toHtml, toReplayHtml } from './report/to-html.js';
export type { BlockChoice } from './run/block-choice.js';
export type { HeldOutDifference, HeldOutPolicy, HoldOut, PartSize } from './run/levels/hold-out.js';
export type { PolicySegment, Segment, Segments, SegmentWinner } from './run/levels/segments.js';

// Simulated worlds whose truth is known
export { randomLinearPolicies } from './simulate/linear-policies.js';
export { type OnlineOptions, type OnlineResult, online } from './simulate/online.js';
export { SimulatedWorld, type SimulateOptions, simulate } from './simulate/simulate.js';
export { simulateToday } from './simulate/today.js';
export { type KnownWorld, type TrueValue, trueLinearValues, trueValue, trueValues } from './simulate/truth.js';
export type { LoggingPolicy, WorldOptions } from './simulate/world/options.js';
export { World } from './simulate/world/world.js';
