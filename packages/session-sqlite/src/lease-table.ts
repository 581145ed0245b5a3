import type { Database } from 'better-sqlite3';

/**
 * Leases, judged by the database's clock, the same for all who share the file. A row outlives its lease, so that
 * tokens rise for ever; a lease that has run out holds until another takes it.
 */
export interface LeaseTable {
  grant(key: string, holder: string, ttlMs: number): number | undefined;
  renew(key: string, token: number, ttlMs: number): boolean;
  release(key: string, token: number): void;
  holds(key: string, token: number): boolean;
}

const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

export function createLeaseTable(database: Database): LeaseTable {
  const grant = database
    .prepare<[string, string, number], number>(
      `INSERT INTO session_leases(session_id, holder, token, expires_at) VALUES (?, ?, 1, ${now} + ?)
       ON CONFLICT(session_id) DO UPDATE
         SET holder = excluded.holder, token = token + 1, expires_at = excluded.expires_at
         WHERE holder IS NULL OR holder = excluded.holder OR expires_at <= ${now}
       RETURNING token`,
    )
    .pluck();
  const renew = database.prepare(
    `UPDATE session_leases SET expires_at = ${now} + ? WHERE session_id = ? AND token = ? AND holder IS NOT NULL`,
  );
  const release = database.prepare(
    'UPDATE session_leases SET holder = NULL, expires_at = 0 WHERE session_id = ? AND token = ?',
  );
  const holds = database
    .prepare<[string, number], number>(
      'SELECT count(*) FROM session_leases WHERE session_id = ? AND token = ? AND holder IS NOT NULL',
    )
    .pluck();
  return {
    grant: (key, holder, ttlMs) => grant.get(key, holder, ttlMs),
    renew: (key, token, ttlMs) => renew.run(ttlMs, key, token).changes > 0,
    release: (key, token) => void release.run(key, token),
    holds: (key, token) => holds.get(key, token) === 1,
  };
}
