import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type FolderProblem, inspectJsonl, mendJsonl } from '@x/memory-jsonl';
import { type SessionBackend, StoreCorrupt } from '@x/session-store';
import { RunError } from '../run-error.js';
import type { StoreReference } from '../stores/store-reference.js';
import { table } from './table.js';

/** What is wrong in a store, as the command line shows it. */
export interface ProblemView {
  readonly code: string;
  readonly session: string | null;
  readonly path: string;
  readonly line: number | null;
  readonly message: string;
  readonly fixable: boolean;
}

export interface Examination {
  readonly problems: readonly ProblemView[];
  readonly sessions: number;
  readonly messages: number;
  /** What was put right, and where it lies as it was. */
  readonly fixed?: readonly ProblemView[];
  readonly backup?: string | null;
}

/** A store that does not exist yet has nothing wrong with it. */
export async function examine(store: StoreReference, isToBeFixed: boolean): Promise<Examination> {
  if (!existsSync(store.path)) return { problems: [], sessions: 0, messages: 0 };
  if (store.kind === 'sqlite') return examineDatabase(store.path, isToBeFixed);
  if (store.kind === 'openclaw') return examineOpenclaw(store.path, isToBeFixed);
  if (!isToBeFixed) return examineFolder(store.path);
  const { mended, left, backup, sessions, messages } = await mendJsonl(store.path);
  return {
    problems: left.map(viewProblem),
    sessions,
    messages,
    fixed: mended.map(viewProblem),
    backup: backup ?? null,
  };
}

async function examineFolder(directory: string): Promise<Examination> {
  const problems: ProblemView[] = [];
  const steps = inspectJsonl(directory);
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done === true) return { problems, ...step.value };
    problems.push(viewProblem(step.value));
  }
}

async function examineDatabase(file: string, isToBeFixed: boolean): Promise<Examination> {
  if (isToBeFixed)
    throw new RunError('--fix: what can be mended in a database is mended when it is next written to.', 2);
  const { checkSqlite, createSqliteBackend } = await import('@x/session-sqlite');
  const problems: ProblemView[] = [];
  try {
    for (const problem of await checkSqlite(file)) problems.push(viewProblem({ ...problem, fixable: false }));
    const backend = await createSqliteBackend({ file, readOnly: true });
    try {
      return { problems, ...(await countOf(backend)) };
    } finally {
      await backend.close();
    }
  } catch (error) {
    // What is damaged cannot be counted: that it is damaged is what there is to say.
    if (!(error instanceof StoreCorrupt)) throw error;
    problems.push(viewProblem({ code: 'damaged', path: file, message: error.message, fixable: false }));
    return { problems, sessions: 0, messages: 0 };
  }
}

/** Nothing of another program's is mended; what is damaged is read around. */
async function examineOpenclaw(directory: string, isToBeFixed: boolean): Promise<Examination> {
  if (isToBeFixed) throw new RunError("--fix: OpenClaw's files are only read here.", 2);
  const { createOpenclawBackend } = await import('@x/session-openclaw');
  const problems: ProblemView[] = [];
  const backend = await createOpenclawBackend({
    directory,
    onFinding(finding) {
      if (finding.severity === 'problem') problems.push(viewProblem({ ...finding, fixable: false }));
    },
  });
  try {
    return { problems, ...(await countOf(backend)) };
  } finally {
    await backend.close();
  }
}

async function countOf(backend: SessionBackend): Promise<Pick<Examination, 'sessions' | 'messages'>> {
  let sessions = 0;
  let messages = 0;
  for await (const entry of backend.export()) {
    if (entry.type === 'session') sessions += 1;
    else messages += 1;
  }
  return { sessions, messages };
}

type Problem = Omit<FolderProblem, 'code'> & { readonly code: string };

function viewProblem({ code, key, path, line, message, fixable }: Problem): ProblemView {
  return { code, session: key ?? null, path, line: line ?? null, message, fixable };
}

const RESCUE =
  'The database is damaged. Stop all programs that use it and keep a copy of the file with its -wal; then put a backup in its place (sessions backup makes them), or rescue what can be read: sqlite3 FILE .recover | sqlite3 NEW.\n';

/** A line for each problem, then what was done and how much there is. */
export function describeExamination({
  problems,
  sessions,
  messages,
  fixed = [],
  backup,
}: Examination): string {
  const rows = problems.map(({ code, path, line, message, fixable }) => [
    code,
    line === null ? basename(path) : `${basename(path)}:${line}`,
    fixable ? '--fix' : '',
    // Where stands beside it.
    message.replace(path, '').replace(/^[ ,]+/, ''),
  ]);
  const all = `${sessions} sessions, ${messages} messages`;
  return [
    problems.length === 0 ? '' : table(['PROBLEM', 'WHERE', 'MENDED BY', 'WHAT'], rows),
    ...fixed.map(({ code, path }) => `Mended: ${code} of ${basename(path)}\n`),
    problems.some(({ code }) => code === 'damaged') ? RESCUE : '',
    backup ? `What was changed lies in ${backup} as it was.\n` : '',
    problems.length === 0 ? `All is well: ${all}.\n` : `${problems.length} problems in ${all}.\n`,
  ].join('');
}
