import { foldCase, normaliseText, trimSpace } from './folding.js';
import type { ScopePolicy } from './scope-policy.js';

/**
 * Canonical name → ids of the same person, as `telegram:123` or `123`. Names made of digits alone come first,
 * as in every JavaScript object; all others in the order written. An id in two links belongs to the first.
 */
export type IdentityLinks = Readonly<Record<string, readonly string[]>>;

type IdentityPolicy = Pick<ScopePolicy, 'identityLinks' | 'caseSensitiveChannels'>;

/** The sender as scopes and rules name it: the linked canonical name, else the id; undefined without an id. */
export function resolveIdentity(
  channel: string,
  senderId: string | undefined,
  policy: IdentityPolicy,
): string | undefined {
  return identify(channel, senderId, policy)?.name;
}

export interface Identity {
  readonly name: string;
  /** Whether `name` is the canonical name of a link. */
  readonly isLinked: boolean;
}

export function identify(
  channel: string,
  senderId: string | undefined,
  policy: IdentityPolicy,
): Identity | undefined {
  const folds = !isCaseSensitive(channel, policy);
  const id = comparable(senderId ?? '', folds);
  if (id === '') return undefined;
  const linked = canonicalName(candidatesFor(normaliseText(channel), id), policy.identityLinks, folds);
  return linked === undefined ? { name: id, isLinked: false } : { name: linked, isLinked: true };
}

export function isCaseSensitive(channel: string, policy: IdentityPolicy): boolean {
  const names = policy.caseSensitiveChannels;
  if (names === undefined || names.length === 0) return false;
  const name = normaliseText(channel);
  return names.some((candidate) => normaliseText(candidate) === name);
}

function comparable(id: string, folds: boolean): string {
  const trimmed = trimSpace(id);
  return folds ? foldCase(trimmed) : trimmed;
}

/** The id itself, the id under its channel, and what follows the id's own prefix. */
function candidatesFor(channel: string, id: string): ReadonlySet<string> {
  const candidates = new Set([id]);
  if (channel !== '') candidates.add(`${channel}:${id}`);
  const colon = id.indexOf(':');
  if (colon > 0 && colon < id.length - 1) candidates.add(id.slice(colon + 1));
  return candidates;
}

function canonicalName(
  candidates: ReadonlySet<string>,
  links: IdentityLinks,
  folds: boolean,
): string | undefined {
  for (const [name, ids] of Object.entries(links)) {
    const canonical = normaliseText(name);
    if (canonical === '') continue;
    for (const id of ids) {
      if (candidates.has(comparable(id, folds))) return canonical;
      // Where case matters it matters in the id, not in the channel's name before it.
      if (!folds && candidates.has(withFoldedPrefix(trimSpace(id)))) return canonical;
    }
  }
  return undefined;
}

function withFoldedPrefix(id: string): string {
  const colon = id.indexOf(':');
  return colon < 0 ? id : foldCase(id.slice(0, colon)) + id.slice(colon);
}
