import { RunError } from '../run-error.js';
import { openForReading } from '../stores/open-store.js';
import { isSameStore, type StoreReference, storeText } from '../stores/store-reference.js';
import { openHere } from './open-here.js';
import { type TransferredSession, transferSessions } from './session-transfer.js';
import { table } from './table.js';

export interface TransferReport {
  readonly from: string;
  readonly to: string;
  readonly sessions: readonly TransferredSession[];
  /** What could not be read at its source, and was left there. */
  readonly problems: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly message: string;
  }[];
}

export async function copySessions(from: StoreReference, to: StoreReference): Promise<TransferReport> {
  if (isSameStore(from, to)) throw new RunError('--from and --to name the same store.', 2);
  const problems: { path: string; line: number | null; message: string }[] = [];
  const source = await openForReading(from, ({ path, line, message }) =>
    problems.push({ path, line: line ?? null, message }),
  );
  try {
    if (source === undefined) throw new RunError(`There are no sessions at ${storeText(from)}.`);
    if (to.kind === 'openclaw') {
      const { writeOpenclawFolder } = await import('@x/session-openclaw');
      const written = await writeOpenclawFolder(to.path, source.export());
      const sessions = written.map((session) => ({ ...session, digest: null }));
      return { from: storeText(from), to: storeText(to), sessions, problems };
    }
    const target = await openHere(to);
    try {
      const sessions = await transferSessions(source, target);
      return { from: storeText(from), to: storeText(to), sessions, problems };
    } finally {
      await target.close();
    }
  } finally {
    await source?.close();
  }
}

export function isWhole({ sessions, problems }: TransferReport): boolean {
  return problems.length === 0 && sessions.every(({ status }) => status !== 'failed' && status !== 'differs');
}

/** Words for a person: a line for each session, then the sum. */
export function describeTransfer({ from, to, sessions, problems }: TransferReport): string {
  const count = (status: TransferredSession['status']) =>
    sessions.filter((session) => session.status === status).length;
  const rows = sessions.map(({ key, messages, status, error }) => [
    status.toUpperCase(),
    String(messages),
    key,
    error ?? '',
  ]);
  const sums = (['copied', 'present', 'newer', 'failed', 'differs', 'left'] as const)
    .filter((status) => status !== 'left' || count(status) > 0)
    .map((status) => `${count(status)} ${status}`)
    .join(', ');
  return [
    sessions.length === 0 ? '' : table(['STATUS', 'MESSAGES', 'KEY', ''], rows),
    ...problems.map(({ message }) => `${message}\n`),
    `${from} → ${to}: ${sums}.\n`,
  ].join('');
}
