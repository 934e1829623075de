export { single as target } from './vw.mjs';
