import { yahooTarget } from './yahoo.mjs';

export const target = yahooTarget('r6b');
