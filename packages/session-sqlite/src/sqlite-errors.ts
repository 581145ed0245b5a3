import { SessionStoreError, StoreCorrupt, StoreFailed, StoreFull, StoreLocked } from '@x/session-store';
import Database from 'better-sqlite3';

/** SQLite's code (`SQLITE_BUSY`, `SQLITE_IOERR_FSYNC` …) of what was thrown. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

/** True where waiting may help: another connection is in the way. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code);
}

/** What SQLite threw as an error of the contract, with the file named and what to do. */
export function asStoreError(error: unknown, file: string, key?: string): unknown {
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error) || error instanceof SessionStoreError) return error;
  const place = { path: file, cause: error, ...(key === undefined ? {} : { key }) };
  if (code === 'SQLITE_FULL') {
    return new StoreFull(`${file}: no room is left to write in (${code}). Make room and try again.`, place);
  }
  if (code === 'SQLITE_NOTADB') {
    return new StoreCorrupt(
      `${file} is not a SQLite database. Name another file, or move this one away.`,
      place,
    );
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return new StoreCorrupt(
      `${file} is damaged (${error.message}). Stop all programs that use it, keep a copy, then restore a backup, or rescue what can be read with "sqlite3 FILE .recover".`,
      place,
    );
  }
  if (isBusy(error)) return lockedError(file, undefined, error, key);
  if (code.startsWith('SQLITE_READONLY')) {
    return new StoreFailed(
      `${file} cannot be written to (${code}). Give this user the right to write the file and its folder, or open it with readOnly.`,
      place,
    );
  }
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return new StoreFailed(
      `${file} cannot be opened. It must be a file, in a folder that exists and that this user may use.`,
      place,
    );
  }
  return new StoreFailed(`${file}: ${error.message} (${code}).`, place);
}

export function lockedError(
  file: string,
  waitedMs: number | undefined,
  cause: unknown,
  key?: string,
): StoreLocked {
  const waited = waitedMs === undefined ? '' : ` for ${waitedMs} ms`;
  return new StoreLocked(
    `${file} is locked by another program${waited}. Nothing was written; try again, or end the program that holds it.`,
    { path: file, cause, ...(key === undefined ? {} : { key }) },
  );
}
