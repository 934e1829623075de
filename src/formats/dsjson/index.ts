/** Decision-service JSON (dsjson), the log of VowpalWabbit's `--dsjson`: contextual bandits with features per action. */

import type { Head } from '../../files/files.js';
import { SeenIds } from '../../log/build/seen-ids.js';
import { DECISION_OPTIONS } from '../decisions/options.js';
import { readDecisions } from '../decisions/read.js';
import type { EventFormat } from '../format.js';
import { eventParser } from './events.js';
import { sharedEventIds } from './shared-event-ids.js';

export const dsjson: EventFormat<'dsjson'> = {
  isText: true,
  name: 'dsjson',
  extensions: ['.dsjson'],
  takes: [...DECISION_OPTIONS, 'dropRepeatedEvents'],
  sniff,
  read: async (files, options, sink) => {
    const memory = sink?.databaseMemory;
    const shared = memory === undefined ? null : await sharedEventIds(files, options, memory);
    const seen = () => (shared === null ? new SeenIds() : SeenIds.among(shared));
    return readDecisions('dsjson', files, options, sink, (rows) => eventParser(rows, seen()));
  },
};

/** An object per line with a context `c` and a member that only such logs have. */
function sniff(head: Head): boolean {
  const text = head.bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  const OWN = /"(?:_label_cost|_label_probability|_labelIndex|_multi|_slots|_outcomes|VWState)"\s*:/;
  return first.startsWith('{') && /"c"\s*:\s*\{/.test(first) && OWN.test(first);
}
