/** `closed`: the runtime takes no more turns · `queue_full`: too many wait for this session · `invalid_request`. */
export type AgentRuntimeErrorCode = 'closed' | 'queue_full' | 'invalid_request';

/** Why a turn did not begin. Once it has begun, its end is an outcome. */
export class AgentRuntimeError extends Error {
  readonly code: AgentRuntimeErrorCode;
  readonly sessionKey: string | undefined;

  constructor(code: AgentRuntimeErrorCode, message: string, sessionKey?: string) {
    super(message);
    this.name = 'AgentRuntimeError';
    this.code = code;
    this.sessionKey = sessionKey;
  }
}
