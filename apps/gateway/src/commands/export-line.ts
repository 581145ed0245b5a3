import { type ExportEntry, messageSchema } from '@x/session-store';
import { z } from 'zod';
import { schemaProblems } from '../configuration/schema-problems.js';
import { RunError } from '../run-error.js';

/*
 * One line of an export: an entry as the store contract spells it, since fields that nobody here knows must come
 * back as they were.
 */

const text = z.string();
const time = z.string().refine((value) => !Number.isNaN(Date.parse(value)), 'expected an ISO 8601 time');
const count = z.int().min(0);
const attributes = z.record(z.string(), z.json());
const segment = z.looseObject({
  lastSeq: count,
  endedAt: time,
  reason: text.optional(),
  summary: text.optional(),
});

const sessionSchema = z.looseObject({
  key: z.string().min(1),
  agentId: text,
  channel: text,
  title: text.optional(),
  scope: z
    .looseObject({
      version: z.literal(1),
      agentId: text,
      channel: text,
      account: text,
      dimensions: z.array(text),
      values: z.record(z.string(), text),
    })
    .optional(),
  aliases: z.array(text),
  summary: text,
  createdAt: time,
  updatedAt: time,
  activeAt: time,
  interactionAt: time.optional(),
  segmentStartedAt: time.optional(),
  archivedAt: time.optional(),
  deletedAt: time.optional(),
  bin: z
    .looseObject({
      throughSeq: count,
      count,
      deletedAt: time,
      title: text.optional(),
      segments: z.array(segment),
      attributes,
    })
    .optional(),
  messageCount: count,
  activeCount: count,
  lastSeq: count,
  cutoff: count,
  userTurns: count,
  promptInjections: count,
  segments: z.array(segment),
  attributes,
  revision: count,
});

const entrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), session: sessionSchema }),
  z.object({
    type: z.literal('message'),
    key: z.string().min(1),
    message: messageSchema.extend({ id: z.string().min(1), seq: z.int().min(1), createdAt: time }),
  }),
]);

export function writeEntry(entry: ExportEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Throws `RunError` with the number of the line and what was expected in it. */
export function readEntry(line: string, number: number): ExportEntry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RunError(`Line ${number} of the import is not JSON.`);
  }
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    const { path, message } = schemaProblems(parsed.error)[0] ?? { path: '', message: 'not an entry' };
    throw new RunError(`Line ${number} of the import: ${path === '' ? '' : `${path}: `}${message}`);
  }
  // What was checked is what was given: nothing is added or taken away.
  return parsed.data as unknown as ExportEntry;
}
