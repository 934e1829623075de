/** The tables of a packed log: everything but its events. */

import type { BatchLayout } from '../log/batch.js';
import { f32Column, f64Column, u32Column } from '../log/build/memory.js';
import type { ArmFeatureTable, ContextTable, EventLog, KeyColumn, PoolTable } from '../log/event-log.js';
import { damaged } from './header.js';
import type { PackedFile } from './packed-file.js';
import { readNumbers, readTexts } from './sections.js';

/** Reads the log without its events. @throws InputError where the file is damaged. */
export async function readHead(file: PackedFile): Promise<EventLog> {
  const { header } = file;
  const ids = await readTexts(file, header.arms.ids, header.arms.count);
  const key = async ({ levels, count }: { levels: PackedFile['header']['arms']['ids']; count: number }) => ({
    levels: await readTexts(file, levels, count),
    code: u32Column(0),
  });
  const keys = new Map<string, KeyColumn>();
  for (const one of header.keys) keys.set(one.name, await key(one));
  const { scale, maxSteps, rangeBasis, rounding } = header.payoff;
  const pools = await readPools(file);
  return {
    ...(header.firstEvent === undefined ? {} : { firstEvent: header.firstEvent }),
    events: 0,
    arms: { ids, index: new Map(ids.map((id, a) => [id, a])) },
    arm: u32Column(0),
    payoff: {
      steps: u32Column(0),
      maxSteps,
      scale,
      ...(rangeBasis === undefined ? {} : { rangeBasis }),
      ...(rounding === undefined ? {} : { rounding }),
    },
    contexts: await readContexts(file),
    pools,
    propensity: header.propensity ? f64Column(0) : null,
    time: header.time ? f64Column(0) : null,
    user: header.user === null ? null : await key(header.user),
    keys,
    armFeatures: await readArmFeatures(file, pools),
    sourceRow: header.sourceRow.perEvent ? u32Column(0) : null,
    source: header.source,
  };
}

async function readContexts(file: PackedFile): Promise<ContextTable> {
  const { dimension, rows, values: type, table, columns: names } = file.header.contexts;
  const columns = await readTexts(file, names, dimension);
  const length = table === null ? 0 : rows * dimension;
  const values = type === 'f32' ? f32Column(length) : f64Column(length);
  if (table === null) return { dimension, rows: 0, values, row: null, columns };
  await readNumbers(file, table, values);
  return { dimension, rows, values, row: u32Column(0), columns };
}

async function readPools(file: PackedFile): Promise<PoolTable> {
  const { count, perEvent, sizes: sizeTable, arms: armTable, allArms } = file.header.pools;
  const sizes = u32Column(count);
  await readNumbers(file, sizeTable, sizes);
  const offsets = u32Column(count + 1);
  for (let s = 0; s < count; s++) offsets[s + 1] = offsets[s] + sizes[s];
  const arms = u32Column(offsets[count]);
  await readNumbers(file, armTable, arms);
  return {
    count,
    offsets,
    arms,
    pool: perEvent ? u32Column(0) : null,
    ...(allArms === undefined ? {} : { allArms }),
  };
}

async function readArmFeatures(file: PackedFile, pools: PoolTable): Promise<ArmFeatureTable | null> {
  const { armFeatures } = file.header;
  if (armFeatures === null) return null;
  const { dimension, rows } = armFeatures;
  const values = f64Column(rows * dimension);
  await readNumbers(file, armFeatures.values, values);
  const row = armFeatures.row === null ? null : u32Column(pools.arms.length);
  if (row !== null && armFeatures.row !== null) await readNumbers(file, armFeatures.row, row);
  return { dimension, rows, values, row, columns: await readTexts(file, armFeatures.columns, dimension) };
}

/** The columns that a file says it has. */
export function layoutOf(file: PackedFile, head: EventLog): BatchLayout {
  const { arms, payoff, pools, propensity, time, user, keys, contexts, sourceRow } = file.header;
  const levelsOf = (key: KeyColumn | null | undefined): readonly string[] => {
    if (key === null || key === undefined) throw damaged(file.name, 'its header names a key twice');
    return key.levels;
  };
  return {
    arms: { as: arms.as, levels: head.arms.ids },
    steps: payoff.steps,
    propensity,
    time,
    pool: pools.column,
    sourceRow: sourceRow.column,
    user: user === null ? null : { as: user.as, levels: levelsOf(head.user) },
    keys: keys.map(({ name, as }) => ({ name, as, levels: levelsOf(head.keys.get(name)) })),
    contexts: { table: contexts.table !== null, values: contexts.values, columns: head.contexts.columns },
  };
}
