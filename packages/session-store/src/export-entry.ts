import { z } from 'zod';
import type { ExportEntry } from './backend.js';
import { InvalidMessage } from './errors.js';
import { jsonCopy } from './json-copy.js';
import type { StoredMessage } from './message.js';
import { takeMessage } from './message-intake.js';
import { checkKey } from './session-key-check.js';

const count = z.int().min(0);
const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'expected an ISO 8601 time');
const attributes = z.record(z.string(), z.json());
const segments = z.array(
  z.looseObject({
    lastSeq: count,
    endedAt: time,
    reason: z.string().optional(),
    summary: z.string().optional(),
  }),
);
const scope = z.looseObject({
  version: z.literal(1),
  agentId: z.string(),
  channel: z.string(),
  account: z.string(),
  dimensions: z.array(z.string()),
  values: z.record(z.string(), z.string()),
});
const bin = z.looseObject({
  throughSeq: count,
  count,
  deletedAt: time,
  title: z.string().optional(),
  segments,
  attributes,
});

const sessionSchema = z
  .looseObject({
    key: z.string(),
    agentId: z.string(),
    channel: z.string(),
    title: z.string().optional(),
    scope: scope.optional(),
    aliases: z.array(z.string()),
    summary: z.string(),
    createdAt: time,
    updatedAt: time,
    activeAt: time,
    interactionAt: time.optional(),
    segmentStartedAt: time.optional(),
    archivedAt: time.optional(),
    deletedAt: time.optional(),
    bin: bin.optional(),
    messageCount: count,
    activeCount: count,
    lastSeq: count,
    cutoff: count,
    userTurns: count,
    promptInjections: count,
    segments,
    attributes,
    revision: count,
  })
  .refine((session) => session.cutoff <= session.lastSeq, 'expected a cutoff of at most lastSeq');

const entrySchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session'), session: sessionSchema }),
  z.looseObject({
    type: z.literal('message'),
    key: z.string(),
    message: z.looseObject({ id: z.string().min(1), seq: z.int().min(1), createdAt: time }),
  }),
]);

/**
 * An entry of an import, checked and copied; `index` is its place, from 0. Throws `InvalidMessage` with what was
 * expected where, `InvalidKey` or `MessageTooLarge`.
 */
export function takeEntry(entry: unknown, index: number, maxMessageBytes: number): ExportEntry {
  const place = `entries[${index}]`;
  let copy: unknown;
  try {
    copy = jsonCopy(entry, place);
  } catch (cause) {
    const problem = cause instanceof TypeError ? cause.message : `${place} cannot be read`;
    throw new InvalidMessage(`import: ${problem}.`, { cause });
  }
  const parsed = entrySchema.safeParse(copy);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = [place, ...(issue?.path ?? [])].join('.');
    throw new InvalidMessage(`import: ${path}: ${issue?.message ?? 'not an entry'}.`, {
      cause: parsed.error,
    });
  }
  const taken = copy as ExportEntry;
  if (taken.type === 'session') {
    checkKey(taken.session.key);
    for (const alias of taken.session.aliases) checkKey(alias, 'alias');
    return taken;
  }
  const { key, message } = taken;
  const complete = takeMessage(key, message, `${place}.message`, maxMessageBytes) as StoredMessage;
  return { type: 'message', key, message: { ...complete, seq: message.seq } };
}
