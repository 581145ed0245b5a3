import { STATUS_CODES } from 'node:http';
import { AgentRuntimeError } from '@x/agent-runtime';
import { MemoryError } from '@x/session-sqlite';
import { SessionStoreError } from '@x/session-store';
import { RequestError, type RequestStatus } from '../request-error.js';

/** An error as it is answered: `{error: {code, message}}` together with the members of RFC 9457. */
export function problemResponse(
  error: RequestError,
  extra: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, code, message } = error;
  const body = {
    error: { code, message },
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    ...extra,
  };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

const STORE_STATUS: Readonly<Record<string, readonly [RequestStatus, string]>> = {
  SessionNotFound: [404, 'session_not_found'],
  AliasConflict: [409, 'alias_conflict'],
  InvalidKey: [400, 'invalid_session'],
  InvalidMessage: [400, 'invalid_message'],
  MessageTooLarge: [413, 'message_too_large'],
  StoreFull: [507, 'store_full'],
  StoreClosed: [503, 'shutting_down'],
  StoreLocked: [503, 'store_locked'],
  LeaseLost: [409, 'lease_lost'],
  Unsupported: [400, 'unsupported'],
};

const RUNTIME_STATUS: Readonly<Record<AgentRuntimeError['code'], readonly [RequestStatus, string]>> = {
  closed: [503, 'shutting_down'],
  queue_full: [429, 'queue_full'],
  invalid_request: [400, 'invalid_request'],
};

const MEMORY_STATUS: Readonly<Record<MemoryError['code'], readonly [RequestStatus, string]>> = {
  MemoryEmpty: [400, 'invalid_request'],
  MemoryTooLong: [413, 'memory_too_long'],
  MemoriesFull: [409, 'memories_full'],
  MemoryNotFound: [404, 'memory_not_found'],
};

/** Anything thrown, as an error for the caller; undefined where it is a fault of ours that words must not show. */
export function asRequestError(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  if (error instanceof AgentRuntimeError)
    return new RequestError(...RUNTIME_STATUS[error.code], error.message);
  if (error instanceof MemoryError) return new RequestError(...MEMORY_STATUS[error.code], error.message);
  if (error instanceof SessionStoreError) {
    const [status, code] = STORE_STATUS[error.code] ?? [503, 'store_failed'];
    // Paths of this machine are for the log alone.
    return new RequestError(status, code, error.path === undefined ? error.message : withoutPath(error));
  }
  return undefined;
}

function withoutPath({ code }: SessionStoreError): string {
  return code === 'StoreFull'
    ? 'No room is left for the sessions: nothing was stored. Make room, then try again.'
    : 'The session store cannot do this now; the log says why.';
}
