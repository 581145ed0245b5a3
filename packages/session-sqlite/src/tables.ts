import type { Database } from 'better-sqlite3';
import { type AliasTable, createAliasTable } from './alias-table.js';
import { createRecount } from './foreign-change.js';
import { createLeaseTable, type LeaseTable } from './lease-table.js';
import { createMessageTable, type MessageTable } from './message-table.js';
import { createSearchIndex, type SearchIndex } from './search-index.js';
import { createSessionHeads, type SessionHeads } from './session-heads.js';
import { createSessionTable, type SessionTable } from './session-table.js';

/** Every statement of the store, prepared once. */
export interface Tables {
  readonly sessions: SessionTable;
  readonly heads: SessionHeads;
  readonly messages: MessageTable;
  readonly aliases: AliasTable;
  readonly leases: LeaseTable;
  readonly search: SearchIndex;
}

export function createTables(database: Database): Tables {
  const sessions = createSessionTable(database, createRecount(database));
  const heads = createSessionHeads(database, sessions);
  return {
    sessions,
    heads,
    messages: createMessageTable(database),
    aliases: createAliasTable(database),
    leases: createLeaseTable(database),
    search: createSearchIndex(database, heads.forget),
  };
}
