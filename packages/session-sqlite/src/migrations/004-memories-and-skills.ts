/**
 * What an agent keeps of somebody for good, and what happened to skills. PicoBot has tables of the plain names, whose
 * columns are its own affair: ours have names of their own. The search index is changed in the same statement as the
 * text, and keeps nothing of what was forgotten.
 */
export const memoriesAndSkills = `
CREATE TABLE agent_memories(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  session_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX agent_memories_of_subject ON agent_memories(agent_id, subject, id);

CREATE VIRTUAL TABLE agent_memory_search USING fts5(
  text, content = 'agent_memories', content_rowid = 'id', tokenize = 'trigram'
);
INSERT INTO agent_memory_search(agent_memory_search, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER agent_memories_inserted AFTER INSERT ON agent_memories BEGIN
  INSERT INTO agent_memory_search(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER agent_memories_deleted AFTER DELETE ON agent_memories BEGIN
  INSERT INTO agent_memory_search(agent_memory_search, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER agent_memories_changed AFTER UPDATE OF text ON agent_memories BEGIN
  INSERT INTO agent_memory_search(agent_memory_search, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO agent_memory_search(rowid, text) VALUES (new.id, new.text);
END;

CREATE TABLE agent_skill_events(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  skill TEXT NOT NULL,
  source TEXT NOT NULL,
  path TEXT NOT NULL,
  digest TEXT,
  reason TEXT,
  agent_id TEXT,
  session_id TEXT,
  created_at INTEGER NOT NULL
);
CREATE INDEX agent_skill_events_of_path ON agent_skill_events(path, id);
`;
