import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createJsonlBackend, legacyHoldsEverything, migrateFromJson } from '@x/memory-jsonl';
import { createMemoryBackend, type SessionBackend } from '@x/session-store';
import { makeFolder } from '../folder.js';
import { RunError } from '../run-error.js';
import { isFolderStore, type StoreReference } from './store-reference.js';

/** Something that is wrong in a store and survived. */
export interface StoreFinding {
  readonly code: string;
  readonly path: string;
  readonly key?: string;
  readonly line?: number;
  readonly message: string;
}
export type FindingListener = (finding: StoreFinding) => void;

/** The folder that a store lies in; `RunError` where it cannot be had, or belongs to a program that it is left to. */
export function makeStoreFolder({ kind, path }: StoreReference): void {
  if (kind === 'openclaw')
    throw new RunError(
      `Unsupported: the sessions in ${path} are OpenClaw's and only read here. Bring them over with "migrate --from openclaw", or write there with "sessions copy --to".`,
    );
  const folder = kind === 'jsonl' ? path : dirname(path);
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RunError(
      `The sessions cannot be kept in ${folder}: it is no folder and cannot be made one (${code}).`,
    );
  }
}

/** Opens a store to write to it, and looks at nothing but its own format. */
export async function openStore(
  { kind, path }: StoreReference,
  onFinding: FindingListener = () => {},
): Promise<SessionBackend> {
  makeStoreFolder({ kind, path });
  if (kind === 'jsonl') return createJsonlBackend({ directory: path, onFinding });
  // Its engine is a native module: whoever keeps files only does not load it.
  const { createSqliteBackend } = await import('@x/session-sqlite');
  return createSqliteBackend({ file: path });
}

/**
 * Opens a store beside whoever writes: takes no lock, changes nothing. Undefined where there is nothing yet. A
 * folder of PicoClaw's older files is shown as it will be once they were moved.
 */
export async function openForReading(
  { kind, path }: StoreReference,
  onFinding: FindingListener = () => {},
): Promise<SessionBackend | undefined> {
  if (!isThere({ kind, path })) return undefined;
  if (kind === 'openclaw') {
    const { createOpenclawBackend } = await import('@x/session-openclaw');
    return createOpenclawBackend({
      directory: path,
      onFinding: (finding) => finding.severity === 'problem' && onFinding(finding),
    });
  }
  if (kind === 'sqlite') {
    const { createSqliteBackend } = await import('@x/session-sqlite');
    return createSqliteBackend({ file: path, readOnly: true });
  }
  if (!legacyHoldsEverything(path)) return createJsonlBackend({ directory: path, readOnly: true, onFinding });
  const backend = createMemoryBackend();
  await migrateFromJson(path, backend);
  return backend;
}

/** Whether the folder or file of a store exists; `RunError` where something else stands in its place. */
export function isThere({ kind, path }: StoreReference): boolean {
  try {
    const isFolder = statSync(path).isDirectory();
    if (isFolder === isFolderStore({ kind })) return true;
    throw new RunError(
      isFolderStore({ kind })
        ? `${path} is no folder, so it holds no session files. Name the folder that does.`
        : `${path} is a folder, not a database file. Name the file.`,
    );
  } catch (error) {
    if (error instanceof RunError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    const reason = code === 'ENOTDIR' ? 'something on the way there is no folder' : (code ?? 'unreadable');
    throw new RunError(`${path} cannot be looked at: ${reason}.`);
  }
}
