import { createHash } from 'node:crypto';
import { afterAppend, type JsonValue, newMeta, type SessionMeta, type StoredMessage } from '@x/session-store';
import { emptyLog } from '../log-shape.js';
import { decodeLine, encodeLine, headOf, isObject, utcTime } from '../message-line.js';
import { decodeMeta, encodeMeta } from '../meta-file.js';

/*
 * PicoClaw's older format: one JSON file a session, `{key, messages, summary?, created, updated}`. What that
 * format has no word for (title, aliases, what no longer reaches the model …) we keep beside it in `holdfast`,
 * which PicoClaw drops when it writes.
 */

/** One session as its file tells it. */
export interface LegacySession {
  readonly meta: SessionMeta;
  /** By seq, those that no longer reach the model included. */
  readonly messages: readonly StoredMessage[];
}

/** What a `*.json` file is. `foreign`: JSON, but no session: another program's. */
export type LegacyContent =
  | { readonly kind: 'session'; readonly session: LegacySession }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** `name`: the file's, without ending: the key of a session that does not name its own. */
export function decodeLegacy(content: Uint8Array, name: string, fallbackAt: string): LegacyContent {
  let record: unknown;
  try {
    record = JSON.parse(new TextDecoder().decode(content));
  } catch {
    return { kind: 'unreadable', reason: 'it is no JSON' };
  }
  if (!isObject(record)) return { kind: 'foreign' };
  const { key: givenKey, messages: given, summary, created, updated, holdfast } = record;
  const key = typeof givenKey === 'string' && givenKey !== '' ? givenKey : name;
  // An empty list is `null` in Go. Lists of messages are in other programs' files too: PicoClaw's have key or times.
  const list: readonly JsonValue[] | undefined =
    given === null && key === givenKey ? [] : Array.isArray(given) ? given : undefined;
  const isSigned = key === givenKey || [created, updated].some((time) => utcTime(time) !== undefined);
  if (list === undefined || !isSigned) return { kind: 'foreign' };

  const updatedAt = utcTime(updated) ?? utcTime(created) ?? fallbackAt;
  const createdAt = utcTime(created) ?? updatedAt;
  const own = isObject(holdfast) ? ownPart(holdfast, key, createdAt) : undefined;
  const messages: StoredMessage[] = [];
  for (const [index, entry] of [...(own?.earlier ?? []), ...list].entries()) {
    const line = Buffer.from(JSON.stringify(entry));
    const seq = own === undefined ? index + 1 : (headOf(line).seq ?? (messages.at(-1)?.seq ?? 0) + 1);
    const { message } = decodeLine(line, seq, createdAt);
    if (message === undefined)
      return { kind: 'unreadable', reason: `entry ${index + 1} of its messages is no message` };
    messages.push(message);
  }
  const meta = own?.meta ?? {
    ...afterAppend(newMeta(key, {}, createdAt), messages, updatedAt),
    summary: typeof summary === 'string' ? summary : '',
    updatedAt,
    activeAt: updatedAt,
  };
  return { kind: 'session', session: { meta, messages } };
}

function ownPart(
  holdfast: { [name: string]: JsonValue },
  key: string,
  createdAt: string,
): { readonly meta: SessionMeta; readonly earlier: readonly JsonValue[] } | undefined {
  const { session, earlier } = holdfast;
  const stored = isObject(session) ? decodeMeta(JSON.stringify(session), key, createdAt) : undefined;
  return stored === undefined || !Array.isArray(earlier) ? undefined : { meta: stored.meta, earlier };
}

/** The file's text. PicoClaw sees what reaches the model, and nothing of a deleted session. */
export function encodeLegacy({ meta, messages }: LegacySession): string {
  const isDeleted = meta.deletedAt !== undefined;
  const earlier = messages.filter(({ seq }) => isDeleted || seq <= meta.cutoff);
  const shown = messages.slice(earlier.length);
  const about = { untimedAt: meta.createdAt, namedByFile: false, refused: [], others: {} };
  const record = {
    key: meta.key,
    messages: shown.map(encodeMessage),
    ...(isDeleted || meta.summary === '' ? {} : { summary: meta.summary }),
    created: meta.createdAt,
    updated: meta.updatedAt,
    holdfast: {
      session: JSON.parse(encodeMeta(meta, emptyLog, about)) as JsonValue,
      earlier: earlier.map(encodeMessage),
    },
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

function encodeMessage(message: StoredMessage): JsonValue {
  return JSON.parse(encodeLine(message)) as JsonValue;
}

/** By which a file that was taken is known again, whatever its name. */
export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
