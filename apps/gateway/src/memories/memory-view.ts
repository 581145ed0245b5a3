import type { Memory } from '@x/session-sqlite';

/** A memory as the API and the command line write it. */
export interface MemoryView {
  readonly id: number;
  readonly agent_id: string;
  readonly subject: string;
  readonly text: string;
  readonly session_key: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export function viewMemory(memory: Memory): MemoryView {
  return {
    id: memory.id,
    agent_id: memory.agentId,
    subject: memory.subject,
    text: memory.text,
    session_key: memory.sessionKey ?? null,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
  };
}
