import { keyOrderSql } from '../key-order.js';

const order = keyOrderSql('');

/**
 * What a session's record and its messages hold beyond PicoBot's columns: nullable columns, so that a row that
 * PicoBot inserts is a whole row. The indexes on `sessions` are partial: a session stands in those of its lists only.
 */
export const sessionRecords = `
ALTER TABLE sessions ADD COLUMN number INTEGER;
ALTER TABLE sessions ADD COLUMN key_order BLOB;
ALTER TABLE sessions ADD COLUMN agent_id TEXT;
ALTER TABLE sessions ADD COLUMN scope_json TEXT;
ALTER TABLE sessions ADD COLUMN aliases_json TEXT;
ALTER TABLE sessions ADD COLUMN last_seq INTEGER;
ALTER TABLE sessions ADD COLUMN active_count INTEGER;
ALTER TABLE sessions ADD COLUMN interaction_at INTEGER;
ALTER TABLE sessions ADD COLUMN segment_started_at INTEGER;
ALTER TABLE sessions ADD COLUMN bin_json TEXT;
ALTER TABLE sessions ADD COLUMN segments_json TEXT;
ALTER TABLE sessions ADD COLUMN attributes_json TEXT;
ALTER TABLE sessions ADD COLUMN revision INTEGER;
ALTER TABLE sessions ADD COLUMN unknown_json TEXT;
ALTER TABLE sessions ADD COLUMN seen_updated_at INTEGER;
ALTER TABLE sessions ADD COLUMN seen_message_count INTEGER;
ALTER TABLE sessions ADD COLUMN seen_cutoff_seq INTEGER;
ALTER TABLE sessions ADD COLUMN unindexed_from INTEGER;

ALTER TABLE messages ADD COLUMN message_id TEXT;
ALTER TABLE messages ADD COLUMN model_name TEXT;
ALTER TABLE messages ADD COLUMN reasoning TEXT;
ALTER TABLE messages ADD COLUMN usage_json TEXT;
ALTER TABLE messages ADD COLUMN meta_json TEXT;
ALTER TABLE messages ADD COLUMN content_json TEXT;
ALTER TABLE messages ADD COLUMN unknown_json TEXT;

CREATE TABLE session_aliases(
  alias TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  FOREIGN KEY(session_id) REFERENCES sessions(id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX session_aliases_session ON session_aliases(session_id);

CREATE TABLE session_leases(
  session_id TEXT PRIMARY KEY,
  holder TEXT,
  token INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE session_numbers(last INTEGER NOT NULL);
INSERT INTO session_numbers VALUES (0);

CREATE INDEX messages_message_id ON messages(session_id, message_id);
CREATE INDEX messages_foreign ON messages(session_id) WHERE message_id IS NULL;
CREATE UNIQUE INDEX sessions_number ON sessions(number);
CREATE INDEX sessions_key_order ON sessions(${order});
CREATE INDEX sessions_live ON sessions(last_active_at DESC, ${order})
  WHERE deleted_at IS NULL AND archived_at IS NULL;
CREATE INDEX sessions_archived ON sessions(last_active_at DESC, ${order})
  WHERE deleted_at IS NULL AND archived_at IS NOT NULL;
CREATE INDEX sessions_deleted ON sessions(last_active_at DESC, ${order})
  WHERE deleted_at IS NOT NULL;
CREATE INDEX sessions_binned ON sessions(last_active_at DESC, ${order})
  WHERE deleted_at IS NULL AND bin_json IS NOT NULL;
CREATE INDEX sessions_foreign ON sessions(id)
  WHERE seen_updated_at IS NOT updated_at OR seen_message_count IS NOT message_count
    OR seen_cutoff_seq IS NOT reset_cutoff_seq;
CREATE INDEX sessions_unindexed ON sessions(id) WHERE unindexed_from IS NOT NULL;
`;
