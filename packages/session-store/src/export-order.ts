import type { StoredMessage } from './message.js';
import type { SessionMeta } from './session-meta.js';

/*
 * The order of fields in an export, so that a copy of a copy is the same text, whatever order a store keeps.
 * Fields not named here follow, by name.
 */

const messageFields = [
  'seq',
  'id',
  'role',
  'content',
  'createdAt',
  'media',
  'toolCalls',
  'toolCallId',
  'toolName',
  'modelName',
  'reasoning',
  'usage',
  'meta',
];

const sessionFields = [
  'key',
  'agentId',
  'channel',
  'title',
  'scope',
  'aliases',
  'summary',
  'createdAt',
  'updatedAt',
  'activeAt',
  'interactionAt',
  'segmentStartedAt',
  'archivedAt',
  'deletedAt',
  'bin',
  'messageCount',
  'activeCount',
  'lastSeq',
  'cutoff',
  'userTurns',
  'promptInjections',
  'segments',
  'attributes',
  'revision',
];

export function messageInOrder(message: StoredMessage): StoredMessage {
  return inOrder(message, messageFields);
}

export function sessionInOrder(meta: SessionMeta): SessionMeta {
  return inOrder(meta, sessionFields);
}

function inOrder<T extends object>(value: T, fields: readonly string[]): T {
  const rest = Object.keys(value)
    .filter((name) => !fields.includes(name))
    .sort();
  const entries = [...fields, ...rest]
    .map((name) => [name, (value as { [name: string]: unknown })[name]] as const)
    .filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as T;
}
