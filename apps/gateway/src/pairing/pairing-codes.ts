import { randomInt } from 'node:crypto';
import type { Pairing, PairingStore } from '@x/session-sqlite';
import { RunError } from '../run-error.js';

/** Without those that are mistaken for one another. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;
const VALID_MS = 60 * 60_000;
/** Strangers who wait at one time on one channel; more get no code, so that nobody can fill the list. */
const MAX_ASKED = 50;

/** The code of a stranger: the same for an hour; undefined where there is none to be had. */
export async function askForPairing(
  store: PairingStore,
  channel: string,
  sender: { readonly id: string; readonly name: string },
  now: Date,
): Promise<string | undefined> {
  const known = await store.find(channel, sender.id);
  if (known?.state === 'refused') return undefined;
  if (known?.code !== undefined && !isExpired(known, now)) return known.code;
  if (known === undefined && (await store.countAsked(channel)) >= MAX_ASKED) {
    await forgetExpired(store, now);
    if ((await store.countAsked(channel)) >= MAX_ASKED) return undefined;
  }
  const { code } = await store.put({
    channel,
    senderId: sender.id,
    name: sender.name,
    code: newCode(),
    state: 'asked',
  });
  return code;
}

/** Lets in, or turns away, who has this code. Throws `RunError` where nobody does. */
export async function decidePairing(
  store: PairingStore,
  code: string,
  state: 'approved' | 'refused',
  now: Date,
): Promise<Pairing> {
  const wanted = code.trim().toUpperCase().replaceAll('-', '');
  const pairing = await store.findByCode(wanted);
  if (pairing === undefined || isExpired(pairing, now)) {
    throw new RunError(`Nobody has the code ${wanted}, or not any more: a code is good for one hour.`);
  }
  const { channel, senderId, name } = pairing;
  return store.put({ channel, senderId, name, code: undefined, state });
}

/** What a stranger is told. */
export function pairingWords(code: string): string {
  return `I do not know you yet. If you may talk to me, give my operator this code: \`${code}\`\n\nIt is good for one hour. (For the operator: \`holdfast pairing approve ${code}\`)`;
}

async function forgetExpired(store: PairingStore, now: Date): Promise<void> {
  for (const pairing of await store.list()) {
    if (pairing.state === 'asked' && isExpired(pairing, now)) {
      await store.remove(pairing.channel, pairing.senderId);
    }
  }
}

function isExpired({ updatedAt }: Pairing, now: Date): boolean {
  return now.getTime() - updatedAt.getTime() > VALID_MS;
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)] ?? 'A').join('');
}
