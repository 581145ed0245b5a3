import { join } from 'node:path';
import Engine from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { fixtureFolder } from './folders.js';

/** OpenClaw's own database, to be written to as OpenClaw would. */
export function writtenDatabase() {
  const directory = fixtureFolder('openclaw-sqlite');
  const path = join(directory, 'agents/main/agent/openclaw-agent.sqlite');
  const database = new Engine(path);
  database.pragma('foreign_keys = OFF');
  onTestFinished(() => void database.close());
  let clock = 1_772_100_000_000;
  const now = () => {
    clock += 1000;
    return clock;
  };
  return {
    directory,
    path,
    /** As OpenClaw has it while it runs: what is written stands in a file beside it. */
    keepOpen: () => void database.pragma('journal_mode = WAL'),
    close: () => void database.close(),
    /** A window of a key; the newest is the current one. */
    window(key: string, sessionId: string, previous: string | null, reason = 'reset') {
      const at = now();
      database
        .prepare(
          `INSERT INTO session_windows (session_id, session_key, previous_session_id, reason, session_scope, created_at, updated_at)
           VALUES (?, ?, ?, ?, 'conversation', ?, ?)`,
        )
        .run(sessionId, key, previous, reason, at, at);
      if (previous !== null)
        database.prepare('UPDATE session_windows SET ended_at = ? WHERE session_id = ?').run(at, previous);
      const entry = JSON.stringify({ sessionId, updatedAt: at });
      database
        .prepare(
          `INSERT INTO session_nodes (session_key, current_session_id, entry_json, entry_valid, updated_at) VALUES (?, ?, ?, 1, ?)
           ON CONFLICT (session_key) DO UPDATE SET current_session_id = excluded.current_session_id,
             entry_json = excluded.entry_json, updated_at = excluded.updated_at`,
        )
        .run(key, sessionId, entry, at);
    },
    event(sessionId: string, seq: number, event: object, packed?: Buffer) {
      const json = JSON.stringify(event);
      database
        .prepare(
          `INSERT INTO transcript_events (session_id, seq, event_json, event_zstd, event_utf8_bytes, navigation_json, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          sessionId,
          seq,
          packed === undefined ? json : null,
          packed ?? null,
          Buffer.byteLength(json),
          packed === undefined ? null : NAVIGATION,
          now(),
        );
    },
    /** What the database says of the branch in use. */
    branch(sessionId: string, seqs: readonly number[], indexedSeq: number) {
      const insert = database.prepare(
        'INSERT INTO session_transcript_active_events (session_id, active_position, event_seq) VALUES (?, ?, ?)',
      );
      seqs.forEach((seq, position) => {
        insert.run(sessionId, position, seq);
      });
      database
        .prepare(
          'INSERT INTO session_transcript_index_state (session_id, indexed_seq, needs_rebuild, updated_at) VALUES (?, ?, 0, ?)',
        )
        .run(sessionId, indexedSeq, now());
    },
    archive(key: string, sessionId: string, blob: Buffer) {
      database
        .prepare(
          `INSERT INTO session_transcript_archives (session_id, generation, session_key, reason, encoding, archive_blob, archive_sha256, archive_name, created_at)
           VALUES (?, '1', ?, 'reset', 'identity', ?, ?, ?, ?)`,
        )
        .run(
          sessionId,
          key,
          blob,
          '0'.repeat(64),
          `${sessionId}.jsonl.reset.2026-02-01T00-00-00.000Z`,
          now(),
        );
    },
    cold(sessionId: string, name: string, blob: Buffer | null) {
      database
        .prepare(
          `INSERT INTO session_transcript_cold_archives (session_id, generation, archive_name, archive_sha256, event_count, raw_bytes, archive_bytes, last_seq, archived_at, storage, archive_blob)
           VALUES (?, '1', ?, ?, 1, 1, 1, 1, ?, ?, ?)`,
        )
        .run(sessionId, name, '0'.repeat(64), now(), blob === null ? 'file' : 'sqlite', blob);
    },
  };
}

const NAVIGATION = JSON.stringify({
  version: 1,
  report: { kind: 'canonical' },
  navigation: {},
  reset: {},
  model: {},
  modelBytes: 0,
  modelWithoutCheckpointBytes: 0,
  withoutCustomDataBytes: 0,
});

export function header(id: string): object {
  return { type: 'session', version: 4, id, timestamp: '2026-02-26T10:00:00.000Z', cwd: '/srv/agent' };
}

export function said(id: string, parentId: string | null, role: string, content: string): object {
  return {
    type: 'message',
    id,
    parentId,
    timestamp: '2026-02-26T10:00:01.000Z',
    message: { role, content, timestamp: 1_772_100_000_000 },
  };
}

/** A frame of zstd that holds its bytes as they are: one block, unpacked. At most 64 KiB. */
export function zstdFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0xfd2fb528, 0);
  // One segment, its length in two bytes, which count from 256.
  head[4] = 0x60;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(bytes.length - 256, 0);
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([head.subarray(0, 5), length, block, bytes]);
}
