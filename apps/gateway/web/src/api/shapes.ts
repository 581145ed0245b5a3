/** What the gateway sends, as its HTTP reference gives it. The page and its server are one build: shapes are believed. */

export type TurnState = 'running' | 'interrupted' | 'idle';

export interface Session {
  key: string;
  title: string | null;
  channel: string;
  agent_id: string;
  message_count: number;
  active_count: number;
  summary: string;
  aliases: string[];
  created_at: string;
  updated_at: string;
  archived: boolean;
  deleted: boolean;
  turn: TurnState;
  preview?: string;
}

export interface SessionDetail extends Session {
  /** Closed stretches of the conversation, oldest first. */
  segments?: { last_seq: number; ended_at: string }[];
}

export interface ContentPart {
  type: string;
  text?: string;
  url?: string;
  name?: string;
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it, valid or not. */
  arguments: string;
}

export interface Message {
  seq: number;
  id: string;
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ContentPart[];
  created_at: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  tool_name?: string;
  model_name?: string;
  reasoning?: string;
  media?: string[];
  meta?: { status?: string; error?: string; [name: string]: unknown };
}

export interface Status {
  version: string;
  model: { id: string; label: string; offline: boolean };
}

export interface SessionPage {
  sessions: Session[];
  next_cursor: string | null;
}

export interface MessagePage {
  session_key: string;
  messages: Message[];
  has_more: boolean;
  first_active_seq: number;
}

/** The answer to one sent message, in the order of events; `done` or `error` is the last. */
export type ChatEvent =
  /** `seq` is there once the message is part of the conversation: it may have to wait to join the running turn. */
  | { event: 'accepted' | 'steering'; session_key: string; seq?: number; id: string; turn_id: string }
  | { event: 'message'; message: Message }
  | { event: 'done'; session_key: string; status: string }
  | { event: 'error'; code: string; message: string }
  | { event: 'token' | 'tool' | 'ping' };

/** What happens in any session, while it happens. */
export type LiveEvent =
  | { event: 'hello'; started_at: string }
  | { event: 'session'; session: Session }
  | { event: 'session_deleted'; key: string }
  | {
      event: 'turn';
      session_key: string;
      turn_id: string;
      state: 'running' | 'done' | 'failed' | 'stopped' | 'interrupted';
    }
  | { event: 'user' | 'message'; session_key: string; turn_id: string; message: Message }
  | { event: 'token'; session_key: string; turn_id: string; text: string }
  | { event: 'tool'; session_key: string; turn_id: string; phase: string; id: string; name: string }
  | {
      event: 'sub_turn';
      session_key: string;
      turn_id: string;
      phase: string;
      id: string;
      task?: string;
    }
  | { event: 'summary'; session_key: string; turn_id: string; phase: string }
  | { event: 'ping' };
