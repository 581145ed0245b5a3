import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { normaliseAgentId } from './agent-id.js';
import { normaliseText } from './folding.js';
import { isWellFormed, scopeSignature } from './scope-signature.js';
import type { SessionScope } from './session-scope.js';

/** Stores take keys and aliases up to this length, in UTF-16 units. */
export const MAX_KEY_LENGTH = 1024;

const PREFIX = 'sk_v1_';

/** The canonical key of a scope: `sk_v1_` and 64 hexadecimal digits. */
export function sessionKey(scope: SessionScope): string {
  return hashedKey(scopeSignature(scope));
}

/** The key of an agent's main session, which serves the agent itself and is apart from every chat. */
export function mainSessionKey(agentId: string | undefined): string {
  return hashedKey(mainAlias(agentId));
}

/** The name of an agent's main session: `agent:<id>:main`. */
export function mainAlias(agentId: string | undefined): string {
  return `agent:${normaliseAgentId(agentId)}:main`;
}

/** Whether a name is exactly `agent:<id>:main`, in any case: `agent:a:direct:main` is a chat with someone called main. */
export function isMainAlias(name: string): boolean {
  return /^agent:[^:]+:main$/.test(normaliseText(name));
}

/**
 * A key that a message may bring along (`sk_v1_…` or `agent:…`), trimmed and lower-cased; undefined for any other
 * text, and for what no store can hold (over 1,024 characters, a NUL, or half a surrogate pair).
 */
export function explicitKey(text: string | undefined): string | undefined {
  const key = normaliseText(text);
  const isKey = (key.startsWith(PREFIX) && key.length > PREFIX.length) || /^agent:./s.test(key);
  return isKey && isStorable(key) ? key : undefined;
}

/** Whether every store can hold the name: some media end a text at a NUL. */
export function isStorable(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && !key.includes('\0') && isWellFormed(key);
}

function hashedKey(text: string): string {
  return PREFIX + bytesToHex(sha256(utf8ToBytes(text)));
}
