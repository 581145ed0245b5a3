import { normaliseText } from './folding.js';

const WELL_FORMED = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_LENGTH = 64;

/** The id of an agent as it stands in scopes and aliases: `[a-z0-9_-]`, at most 64 characters; empty is `main`. */
export function normaliseAgentId(agentId: string | undefined): string {
  return normaliseName(agentId, 'main');
}

/** The account (bot) a message came in on, in the same form; empty is `default`. */
export function normaliseAccount(account: string | undefined): string {
  return normaliseName(account, 'default');
}

function normaliseName(name: string | undefined, fallback: string): string {
  const folded = normaliseText(name);
  if (WELL_FORMED.test(folded)) return folded;
  // The cut comes last, as in PicoClaw, so a cut name may end in a dash.
  const cleaned = folded.replace(/[^a-z0-9_-]+/g, '-').replace(/^-+/, '');
  return cleaned.slice(0, lengthWithoutTrailingDashes(cleaned)).slice(0, MAX_LENGTH) || fallback;
}

function lengthWithoutTrailingDashes(text: string): number {
  let end = text.length;
  while (text.charAt(end - 1) === '-') end -= 1;
  return end;
}
