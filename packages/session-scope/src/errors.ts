export type ScopeErrorCode = 'InvalidInbound' | 'InvalidScope';

/** Something from outside does not have the shape it should. The message says what, where and what to do. */
export class ScopeError extends Error {
  readonly code: ScopeErrorCode;
  /** Where in the value, as `chat_id` or `values.chat`; empty for the value itself. */
  readonly path: string;

  constructor(code: ScopeErrorCode, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ScopeError';
    this.code = code;
    this.path = path;
  }
}
