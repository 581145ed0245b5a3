import { normaliseAgentId } from '@x/session-scope';
import { createMemoryStore, type MemoryStore } from '@x/session-sqlite';
import type { Configuration } from '../configuration/configuration.js';
import { SUBJECT_FORM, SUBJECT_FORMS } from '../memories/memory-subject.js';
import { type MemoryView, viewMemory } from '../memories/memory-view.js';
import { RunError } from '../run-error.js';
import { confirm } from './confirmation.js';
import { readingOperations, writingOperations } from './operations.js';
import { printable } from './printable.js';
import { table } from './table.js';

interface MemoryFilter {
  readonly agent?: string | undefined;
  readonly subject?: string | undefined;
  readonly search?: string | undefined;
}

const PAGE = 1000;

export async function listMemories(
  configuration: Configuration,
  filter: MemoryFilter,
  asJson: boolean,
): Promise<string> {
  const memories = await readingOperations(configuration, async (file) =>
    file === undefined ? [] : allMemories(createMemoryStore(file), filter),
  );
  if (asJson) return `${JSON.stringify(memories, null, 2)}\n`;
  if (memories.length === 0) return 'No memories.\n';
  return table(
    ['ID', 'KEPT', 'AGENT', 'WHOSE', 'TEXT'],
    memories.map((memory) => [
      String(memory.id),
      memory.created_at.slice(0, 16).replace('T', ' '),
      memory.agent_id,
      memory.subject,
      memory.text,
    ]),
  );
}

export async function showMemory(configuration: Configuration, id: number, asJson: boolean): Promise<string> {
  const memory = await readingOperations(configuration, async (file) =>
    file === undefined ? undefined : createMemoryStore(file).get(id),
  );
  if (memory === undefined) throw new RunError(`There is no memory ${id}. See: holdfast memories list`);
  const view = viewMemory(memory);
  if (asJson) return `${JSON.stringify({ memory: view }, null, 2)}\n`;
  const kept = `kept ${view.created_at} by ${view.agent_id}`;
  const from = view.session_key === null ? 'by hand' : `in ${view.session_key}`;
  return printable(`${view.id}  ${view.subject}\n${kept}, ${from}\n\n${view.text}\n`);
}

export async function addMemory(
  configuration: Configuration,
  { agent, subject }: { readonly agent?: string; readonly subject: string },
  text: string,
): Promise<{ memory: MemoryView; added: boolean }> {
  checkSubject(subject);
  const listed = configuration.agents;
  const usual = (listed.find(({ isDefault }) => isDefault) ?? listed[0])?.id ?? 'main';
  const agentId = agent === undefined ? usual : normaliseAgentId(agent);
  if (listed.length > 0 && !listed.some(({ id }) => id === agentId))
    throw new RunError(`--agent: no agent ${agent} is configured.`, 2);
  return changing(configuration, async (store) => {
    const { memory, added } = await store.add({ agentId, subject }, text);
    return { memory: viewMemory(memory), added };
  });
}

export function editMemory(configuration: Configuration, id: number, text: string): Promise<MemoryView> {
  return changing(configuration, async (store) => viewMemory(await store.edit(id, text)));
}

export async function forgetMemory(
  configuration: Configuration,
  id: number,
  isConfirmed: boolean,
): Promise<MemoryView> {
  await confirm(`Forget memory ${id}? Nothing brings it back.`, isConfirmed);
  return changing(configuration, async (store) => viewMemory(await store.forget(id)));
}

function changing<T>(configuration: Configuration, change: (store: MemoryStore) => Promise<T>): Promise<T> {
  return writingOperations(configuration, (file) => change(createMemoryStore(file)));
}

async function allMemories(store: MemoryStore, filter: MemoryFilter): Promise<readonly MemoryView[]> {
  const { agent, subject, search } = filter;
  if (subject !== undefined) checkSubject(subject);
  const query = {
    limit: PAGE,
    ...(agent === undefined ? {} : { agentId: normaliseAgentId(agent) }),
    ...(subject === undefined ? {} : { subject }),
    ...(search === undefined ? {} : { text: search }),
  };
  const all: MemoryView[] = [];
  for (let before: number | undefined; ; before = all.at(-1)?.id) {
    const page = await store.list({ ...query, ...(before === undefined ? {} : { before }) });
    all.push(...page.map(viewMemory));
    if (page.length < PAGE) return all;
  }
}

function checkSubject(subject: string): void {
  if (!SUBJECT_FORM.test(subject))
    throw new RunError(`--subject: expected ${SUBJECT_FORMS}, got ${subject}.`, 2);
}
