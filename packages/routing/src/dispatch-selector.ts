import { type InboundView, normaliseAccount, normaliseText, trimSpace } from '@x/session-scope';
import type { WrittenRule } from './config-schema.js';

export const SELECTOR_FIELDS = [
  'channel',
  'account',
  'space',
  'chat',
  'topic',
  'sender',
  'mentioned',
] as const;
export type SelectorField = (typeof SELECTOR_FIELDS)[number];

/** One constraint of a rule. */
export interface Constraint {
  readonly field: SelectorField;
  readonly expected: string | boolean;
  /** `expected` with the case of its id kept, for channels where case matters. */
  readonly exact: string | boolean;
}

/** The constraints of a rule, in the order in which they are tried; a field that is blank constrains nothing. */
export function readSelector(when: WrittenRule['when']): readonly Constraint[] {
  const constraints: Constraint[] = [];
  for (const field of SELECTOR_FIELDS) {
    const written = when?.[field];
    if (typeof written === 'boolean') constraints.push({ field, expected: written, exact: written });
    else if (normaliseText(written ?? '') !== '') constraints.push(readConstraint(field, written ?? ''));
  }
  return constraints;
}

function readConstraint(field: SelectorField, written: string): Constraint {
  if (field === 'account') {
    const account = normaliseAccount(written);
    return { field, expected: account, exact: account };
  }
  const expected = normaliseText(written);
  return { field, expected, exact: field === 'channel' ? expected : exactForm(written, field === 'sender') };
}

/** As scopes spell it on a case-sensitive channel: the kind before the colon folded, the id as it is. */
function exactForm(written: string, isId: boolean): string {
  const kept = trimSpace(written);
  const colon = kept.indexOf(':');
  return isId || colon < 0 ? kept : normaliseText(kept.slice(0, colon)) + kept.slice(colon);
}

/** Whether a message meets a constraint. */
export function meets({ field, expected, exact }: Constraint, view: InboundView): boolean {
  const wanted = view.isCaseSensitive ? exact : expected;
  switch (field) {
    case 'chat':
      // An operator may have read either name: the chat's own, or the one with the forum topic in the metadata.
      return view.chat === wanted || view.forumChat === wanted;
    case 'sender':
      return view.sender === (view.isSenderLinked ? expected : wanted);
    default:
      return view[field] === wanted;
  }
}
