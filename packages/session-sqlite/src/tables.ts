import type { Database } from 'better-sqlite3';
import { type AliasTable, createAliasTable } from './alias-table.js';
import { createRecount } from './foreign-change.js';
import { createLeaseTable, type LeaseTable } from './lease-table.js';
import { createMessageTable, type MessageTable } from './message-table.js';
import { createSearchIndex, type SearchIndex } from './search-index.js';
import { createSessionTable, type SessionTable } from './session-table.js';

/** Every statement of the store, prepared once. */
export interface Tables {
  readonly sessions: SessionTable;
  readonly messages: MessageTable;
  readonly aliases: AliasTable;
  readonly leases: LeaseTable;
  readonly search: SearchIndex;
}

export function createTables(database: Database): Tables {
  return {
    sessions: createSessionTable(database, createRecount(database)),
    messages: createMessageTable(database),
    aliases: createAliasTable(database),
    leases: createLeaseTable(database),
    search: createSearchIndex(database),
  };
}
