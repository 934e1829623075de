/** The table of renderers: what a result can be written as. Adding one = a file and a line here. */

import type { ReplayResult } from './replay-result.js';
import type { EvaluationResult } from './result.js';
import type { Style } from './style.js';

export interface Renderer {
  /** Endings of files that say that they are so. */
  readonly endings: readonly string[];
  /** Whether a terminal can show it. */
  readonly isText: boolean;
  /** Who it is for: people, who want the best rows only; programs, which take all there is; tools, which take rows and nothing else. */
  readonly reader: 'people' | 'programs' | 'tools';
  /** A ranking of policies. */
  evaluation(result: EvaluationResult, style: Style): Promise<string | Uint8Array>;
  /** A replay of learners. */
  replay(result: ReplayResult, style: Style): Promise<string | Uint8Array>;
}

/** By name, the default first. Each imports what it needs when it is used. */
export const RENDERERS = {
  table: {
    ...{ endings: ['.txt'], isText: true, reader: 'people' },
    evaluation: async (result, style) => (await import('./table.js')).toTable(result, style),
    replay: async (result, style) => (await import('./replay-table.js')).toReplayTable(result, style),
  },
  json: {
    ...{ endings: ['.json'], isText: true, reader: 'programs' },
    evaluation: async (result) => (await import('./json.js')).toJson(result),
    replay: async (result) => (await import('./replay-json.js')).toReplayJson(result),
  },
  csv: {
    ...{ endings: ['.csv'], isText: true, reader: 'tools' },
    evaluation: async (result) => (await import('./csv.js')).toCsv(result),
    replay: async (result) => (await import('./csv.js')).toReplayCsv(result),
  },
  html: {
    ...{ endings: ['.html', '.htm'], isText: false, reader: 'programs' },
    evaluation: async (result) => (await import('./html/page.js')).toHtml(result),
    replay: async (result) => (await import('./html/page.js')).toReplayHtml(result),
  },
  parquet: {
    ...{ endings: ['.parquet'], isText: false, reader: 'tools' },
    evaluation: async (result) => (await import('./parquet.js')).toParquet(result),
    replay: async (result) => (await import('./parquet.js')).toParquet(result),
  },
} as const satisfies Readonly<Record<string, Renderer>>;

export type RendererName = keyof typeof RENDERERS;

export const RENDERER_NAMES = Object.keys(RENDERERS) as RendererName[];
