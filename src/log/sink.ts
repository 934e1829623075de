/** A log that is handed on while it is read, a batch at a time, so that its events need not fit into memory. */
import type { BatchLayout, EventBatch } from './batch.js';

/** Takes the events of a log. */
export interface BatchSink {
  /** Bytes that the database that reads may hold. */
  readonly databaseMemory?: number;
  /** Begins, or begins again where the log turned out to be other than was supposed. */
  begin(layout: BatchLayout): Promise<void>;
  /** The next events; valid until the promise is fulfilled. */
  take(batch: EventBatch): Promise<void>;
}
