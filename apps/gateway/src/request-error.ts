export type RequestStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 421 | 429 | 500 | 502 | 503 | 504 | 507;

/** A request that cannot be served, in words for whoever made it. */
export class RequestError extends Error {
  readonly status: RequestStatus;
  /** Stable; listed in docs/http.md. */
  readonly code: string;
  /** When to try again, where that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: RequestStatus, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
