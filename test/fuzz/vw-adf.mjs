export { multi as target } from './vw.mjs';
