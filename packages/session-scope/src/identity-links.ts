import { foldCase, normaliseText, trimSpace } from './folding.js';
import type { IdentityLinks, ScopePolicy } from './scope-policy.js';

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
  const index = indexOf(policy.identityLinks, folds);
  let first: IndexedName | undefined;
  for (const candidate of candidatesFor(normaliseText(channel), id)) {
    const found = index.get(candidate);
    if (found !== undefined && (first === undefined || found.position < first.position)) first = found;
  }
  return first === undefined ? { name: id, isLinked: false } : { name: first.name, isLinked: true };
}

export function isCaseSensitive(channel: string, policy: IdentityPolicy): boolean {
  const names = policy.caseSensitiveChannels;
  if (names === undefined || names.length === 0) return false;
  const name = normaliseText(channel);
  return names.some((candidate) => normaliseText(candidate) === name);
}

/** The id itself, the id under its channel, and what follows the id's own prefix. */
function candidatesFor(channel: string, id: string): readonly string[] {
  const candidates = [id];
  if (channel !== '') candidates.push(`${channel}:${id}`);
  const colon = id.indexOf(':');
  if (colon > 0 && colon < id.length - 1) candidates.push(id.slice(colon + 1));
  return candidates;
}

interface IndexedName {
  readonly name: string;
  readonly position: number;
}

type IdentityIndex = ReadonlyMap<string, IndexedName>;

/** Indexes of deeply frozen links, which can never change: a router's look-up then costs the same for any number. */
const foldedIndexes = new WeakMap<IdentityLinks, IdentityIndex>();
const exactIndexes = new WeakMap<IdentityLinks, IdentityIndex>();

function indexOf(links: IdentityLinks, folds: boolean): IdentityIndex {
  const indexes = folds ? foldedIndexes : exactIndexes;
  const known = indexes.get(links);
  if (known !== undefined) return known;
  const index = buildIndex(links, folds);
  if (Object.isFrozen(links) && Object.values(links).every((ids) => Object.isFrozen(ids))) {
    indexes.set(links, index);
  }
  return index;
}

function buildIndex(links: IdentityLinks, folds: boolean): IdentityIndex {
  const index = new Map<string, IndexedName>();
  for (const [position, [canonical, ids]] of Object.entries(links).entries()) {
    const name = normaliseText(canonical);
    if (name === '') continue;
    for (const id of ids) {
      // Where case matters it matters in the id, not in the channel's name before it.
      const spellings = folds
        ? [comparable(id, true)]
        : [comparable(id, false), withFoldedPrefix(trimSpace(id))];
      for (const spelling of spellings) {
        if (spelling !== '' && !index.has(spelling)) index.set(spelling, { name, position });
      }
    }
  }
  return index;
}

function comparable(id: string, folds: boolean): string {
  const trimmed = trimSpace(id);
  return folds ? foldCase(trimmed) : trimmed;
}

function withFoldedPrefix(id: string): string {
  const colon = id.indexOf(':');
  return colon < 0 ? id : foldCase(id.slice(0, colon)) + id.slice(colon);
}
