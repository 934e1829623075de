/** Prints the adapter that benchmarks and parity tests should use, and all there are, as JSON. Argument: a name, or `auto`. */

import { listAdapters } from '../../dist/gpu/device.js';
import { adapterName } from './devices.mjs';

const name = adapterName(process.argv[2]);
const adapters = await listAdapters();
const found = adapters.find((adapter) => adapter.name.toLowerCase().includes(name.toLowerCase()));
console.log(JSON.stringify({ name, type: found?.type ?? null, adapters }, null, 1));
process.exit(found === undefined ? 1 : 0);
