import {
  DIMENSIONS,
  type Dimension,
  type IdentityLinks,
  normaliseText,
  type ScopePolicy,
} from '@x/session-scope';
import type { WrittenSession } from './config-schema.js';
import { listed, type Report } from './findings.js';

/** What the shorthand `dm_scope` means. */
const DM_SCOPES: ReadonlyMap<string, readonly Dimension[]> = new Map([
  ['per-channel-peer', ['chat', 'sender']],
  ['per-channel', ['chat']],
  ['per-peer', ['sender']],
  ['global', []],
]);

const DEFAULT_DIMENSIONS: readonly Dimension[] = Object.freeze<Dimension[]>(['chat']);

/** The `session` block as a policy. */
export function readSessionPolicy(session: WrittenSession | null | undefined, report: Report): ScopePolicy {
  const caseSensitiveChannels = [
    ...new Set((session?.case_sensitive_channels ?? []).map(normaliseText)),
  ].filter((channel) => channel !== '');
  return Object.freeze({
    dimensions: sessionDimensions(session, report),
    identityLinks: readIdentityLinks(session?.identity_links ?? {}, report),
    ...(caseSensitiveChannels.length > 0 && { caseSensitiveChannels: Object.freeze(caseSensitiveChannels) }),
  });
}

/** Dimensions that are written win over the shorthand; neither means one session a chat. */
function sessionDimensions(session: WrittenSession | null | undefined, report: Report): readonly Dimension[] {
  const written = session?.dimensions;
  if (written != null && written.length > 0) return readDimensions(written, 'session.dimensions', report);
  const fallback = written == null ? DEFAULT_DIMENSIONS : [];
  const shorthand = normaliseText(session?.dm_scope ?? '');
  if (shorthand === '') return fallback;
  const known = DM_SCOPES.get(shorthand);
  if (known !== undefined) return known;
  report({
    code: 'unknown_dm_scope',
    path: 'session.dm_scope',
    message: `"${session?.dm_scope}" is no dm_scope; expected one of ${listed([...DM_SCOPES.keys()])}.`,
    remedy: `The dimensions are ${listed(fallback)}.`,
  });
  return fallback;
}

/** The known dimensions of a list, once each. `rule` names the rule that the list belongs to. */
export function readDimensions(
  written: readonly string[],
  path: string,
  report: Report,
  rule?: string,
): readonly Dimension[] {
  const place = rule === undefined ? {} : { rule };
  const subject = rule === undefined ? '' : `Rule ${rule}: `;
  const dimensions = new Set<Dimension>();
  for (const [index, word] of written.entries()) {
    const folded = normaliseText(word);
    const known = DIMENSIONS.find((dimension) => dimension === folded);
    if (known !== undefined) dimensions.add(known);
    else {
      report({
        code: 'unknown_dimension',
        path: `${path}[${index}]`,
        ...place,
        message: `${subject}"${word}" is no dimension; expected one of ${listed(DIMENSIONS)}.`,
        remedy: 'It is left out.',
      });
    }
  }
  if (written.length > 0 && dimensions.size === 0) {
    report({
      code: 'no_known_dimension',
      path,
      ...place,
      message: `${subject}none of its dimensions is known, so all chats would share one session; expected at least one of ${listed(DIMENSIONS)}.`,
      remedy: 'All chats of an account share one session.',
    });
  }
  return Object.freeze([...dimensions]);
}

type WrittenLinks = NonNullable<WrittenSession['identity_links']>;

/** Deeply frozen, so that looking a sender up does not depend on the number of links. */
function readIdentityLinks(written: WrittenLinks, report: Report): IdentityLinks {
  const owners = new Map<string, string>();
  const links: [string, readonly string[]][] = [];
  for (const [canonical, ids] of Object.entries(written)) {
    const path = `session.identity_links[${JSON.stringify(canonical)}]`;
    if (normaliseText(canonical) === '') {
      report({
        code: 'empty_identity_name',
        path,
        message: 'An identity link has no canonical name; expected the name its ids are to share.',
        remedy: 'It is ignored.',
      });
      continue;
    }
    for (const id of ids ?? []) claimIdentity(owners, canonical, id, path, report);
    links.push([canonical, Object.freeze([...(ids ?? [])])]);
  }
  return Object.freeze(Object.fromEntries(links));
}

function claimIdentity(
  owners: Map<string, string>,
  canonical: string,
  id: string,
  path: string,
  report: Report,
): void {
  const folded = normaliseText(id);
  if (folded === '') return;
  const owner = owners.get(folded) ?? canonical;
  owners.set(folded, owner);
  if (normaliseText(owner) === normaliseText(canonical)) return;
  report({
    code: 'ambiguous_identity',
    path,
    message: `"${id}" is linked to "${owner}" and to "${canonical}"; expected each id in one link only.`,
    remedy: `It means "${owner}".`,
  });
}
