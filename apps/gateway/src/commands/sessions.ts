import { sessionUsage } from '@x/agent-runtime';
import type { SessionMeta, StoredMessage } from '@x/session-store';
import { shownText } from '../chat-commands/notice.js';
import { viewMessage, viewSession } from '../session-view.js';
import type { StoreReference } from '../stores/store-reference.js';
import { usageLine, viewUsage } from '../usage-view.js';
import { printable } from './printable.js';
import { allSessions, type ListFilter, readingStore, readSession } from './session-reading.js';
import { table } from './table.js';

export async function listSessions(
  store: StoreReference,
  filter: ListFilter,
  asJson: boolean,
): Promise<string> {
  const sessions = await readingStore(store, async (backend) =>
    backend ? allSessions(backend, filter) : [],
  );
  if (asJson) return `${JSON.stringify(sessions.map(viewSession), null, 2)}\n`;
  if (sessions.length === 0) return 'No sessions yet.\n';
  return table(
    ['UPDATED', 'CHANNEL', 'AGENT', 'MESSAGES', 'NAME', 'KEY'],
    sessions.map((meta) => [
      meta.updatedAt.slice(0, 16).replace('T', ' '),
      meta.channel,
      meta.agentId,
      String(meta.messageCount),
      nameOf(meta),
      meta.key,
    ]),
  );
}

export async function showSession(
  store: StoreReference,
  name: string,
  segment: 'active' | 'all',
  asJson: boolean,
): Promise<string> {
  const { meta, messages } = await readingStore(store, (backend) => readSession(backend, name, segment));
  const usage = sessionUsage(meta);
  if (asJson) {
    const session = { ...viewSession(meta), usage: usage === undefined ? null : viewUsage(usage) };
    return `${JSON.stringify({ session, messages: messages.map(viewMessage) }, null, 2)}\n`;
  }
  const head = [
    `${nameOf(meta)}  (${meta.channel}, agent ${meta.agentId})`,
    meta.key,
    `${meta.messageCount} messages, ${meta.activeCount} of them reach the model`,
    ...(usage === undefined ? [] : [usageLine(usage)]),
    ...(meta.summary === '' ? [] : [`Summary: ${meta.summary}`]),
  ];
  return printable(`${[...head, '', ...messages.map(lineOf)].join('\n')}\n`);
}

export function nameOf(meta: SessionMeta): string {
  return meta.title ?? meta.aliases.find((alias) => !/^agent:[^:]*:main$/.test(alias)) ?? meta.key;
}

function lineOf(message: StoredMessage): string {
  const calls = (message.toolCalls ?? []).map((call) => `[calls ${call.name} ${call.arguments}]`);
  const status = message.meta?.status;
  const text = [shownText(message), ...calls, ...(typeof status === 'string' ? [`[${status}]`] : [])];
  return `${String(message.seq).padStart(4)} ${message.role.padEnd(9)} ${text.filter((part) => part !== '').join(' ')}`;
}
