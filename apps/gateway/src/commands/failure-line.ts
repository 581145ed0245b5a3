import { SessionStoreError } from '@x/session-store';
import { ConfigurationError } from '../configuration/configuration-error.js';
import { RequestError } from '../request-error.js';
import { RunError } from '../run-error.js';

export interface Failure {
  readonly exitCode: 1 | 2;
  /** For standard error, without a stack. */
  readonly text: string;
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof RunError) return { exitCode: error.exitCode, text: error.message };
  if (
    error instanceof ConfigurationError ||
    error instanceof RequestError ||
    error instanceof SessionStoreError
  ) {
    return { exitCode: 1, text: error.message };
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return { exitCode: 1, text: `${error instanceof Error ? error.message : String(error)}${code}` };
}
