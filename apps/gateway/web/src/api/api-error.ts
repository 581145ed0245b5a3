/**
 * A request that did not succeed. `code` is the server's (`session_not_found`, `unauthorized` …), or
 * `unreachable` when there was no answer at all. The message is a sentence for people.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
  }
}

/** The error that a response describes, whatever its body turns out to be. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    if (error?.message) return new ApiError(error.code ?? 'failed', response.status, error.message);
  } catch {
    // Not JSON: a proxy's page, or nothing. The status still tells something.
  }
  return new ApiError('failed', response.status, `The gateway answered with status ${response.status}.`);
}

/** A sentence for people about anything that was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
