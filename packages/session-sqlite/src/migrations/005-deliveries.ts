/**
 * What came in and is to be answered (queue `inbox`), what is to be said (`outbox`), and who may talk to a channel.
 * The open ones have an index of their own: what was settled, which is nearly everything, costs them nothing.
 */
export const deliveriesAndPairings = `
CREATE TABLE deliveries(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  lane TEXT NOT NULL,
  name TEXT NOT NULL,
  channel TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  reason TEXT,
  payload_json TEXT NOT NULL,
  result_json TEXT,
  cause_id INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE(queue, name)
);
CREATE INDEX deliveries_open ON deliveries(queue, lane, id) WHERE state IN ('waiting', 'running');
CREATE INDEX deliveries_by_state ON deliveries(queue, state, id);
CREATE INDEX deliveries_by_cause ON deliveries(cause_id) WHERE cause_id IS NOT NULL;
CREATE INDEX deliveries_settled ON deliveries(updated_at) WHERE state IN ('done', 'dropped');

CREATE TABLE channel_pairings(
  channel TEXT NOT NULL,
  sender_id TEXT NOT NULL,
  name TEXT NOT NULL,
  code TEXT,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY(channel, sender_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX channel_pairings_code ON channel_pairings(code) WHERE code IS NOT NULL;
`;
