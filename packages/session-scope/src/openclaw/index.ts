export { openclawAliases } from './openclaw-aliases.js';
export {
  canonicalOpenclawKey,
  formatOpenclawKey,
  type OpenclawKey,
  parseOpenclawKey,
} from './openclaw-key.js';
export { openclawKeyOfScope, scopeOfOpenclawKey } from './openclaw-scope.js';
export { type OpenclawPolicy, type OpenclawRequest, openclawSession } from './openclaw-session.js';
