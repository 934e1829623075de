/** Reward models fitted to logs in memory, in as many batches as a test wants. */

import { ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import type { EventLog } from '#dist/log/event-log.js';
import { batchOf, headOf } from '#dist/log/stream-of.js';
import type { RewardModelOptions } from '#dist/reward-model/options.js';
import { openRewardModel, type RewardModel } from '#dist/reward-model/reward-model.js';

/** The log in so many batches, as even as they can be. */
export function batchesOf(log: EventLog, count: number): EventLog[] {
  const cut = (i: number): number => Math.floor((log.events * i) / count);
  return Array.from({ length: count }, (_, i) => batchOf(log, cut(i), cut(i + 1)));
}

/** A model that is fitted. @param saved its state is written and read into a new model after every batch. */
export async function fittedModel(
  log: EventLog,
  options: RewardModelOptions = {},
  batches: readonly EventLog[] = [log],
  saved = false,
): Promise<RewardModel> {
  const open = (): Promise<RewardModel> => openRewardModel(headOf(log), log.events, options);
  const again = async (model: RewardModel): Promise<RewardModel> => {
    if (!saved) return model;
    const writer = new ArchiveWriter();
    model.carry(writer);
    const reader = new ArchiveReader(writer.bytes());
    const other = await open();
    other.carry(reader);
    reader.end();
    return other;
  };
  let model = await open();
  while (!model.fitted) {
    for (const batch of batches) {
      model.add(batch);
      model = await again(model);
    }
    const more = model.endPass();
    model = await again(model);
    if (more === model.fitted) throw new Error('a pass ended with more to do and a fitted model');
  }
  return model;
}

/** q̂(x_t, a) of every event of a log, which is asked for in these batches. */
export function tableOf(model: RewardModel, log: EventLog, batches: readonly EventLog[] = [log]): Float64Array {
  const arms = log.arms.ids.length;
  const table = new Float64Array(log.events * arms);
  for (const batch of batches) {
    const { values, rows, row } = model.predict(batch);
    if (values.length !== rows * arms) throw new Error(`${values.length} predictions for ${rows} × ${arms}`);
    for (let t = 0; t < batch.events; t++) {
      const from = (row === null ? t : row[t]) * arms;
      const event = (batch.firstEvent ?? 0) - (log.firstEvent ?? 0) + t;
      table.set(values.subarray(from, from + arms), event * arms);
    }
  }
  return table;
}

export async function predictionsOf(
  log: EventLog,
  options: RewardModelOptions = {},
): Promise<{ model: RewardModel; at: (event: number, arm: number) => number }> {
  const model = await fittedModel(log, options);
  const table = tableOf(model, log);
  return { model, at: (event, arm) => table[event * log.arms.ids.length + arm] };
}
