/** A log that is handed on while it is read, a stretch at a time, so that its events need not fit into memory. */

import type { Layout } from './packed/layout.js';
import type { Group } from './packed/writer.js';

/** Takes the events of a log. */
export interface StretchSink {
  /** Bytes that the database that reads may hold. */
  readonly databaseMemory?: number;
  /** Begins, or begins again where the log turned out to be other than was supposed. */
  begin(layout: Layout): Promise<void>;
  /** The next events; valid until the promise is fulfilled. */
  take(stretch: Group): Promise<void>;
}
