import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';
import { type ErrorPlace, SessionStoreError } from '../errors.js';

type ErrorClass = (new (
  message: string,
  place?: ErrorPlace,
) => SessionStoreError) & { readonly code: string };

/** Deep and strict: a member that is absent differs from one that is undefined. */
export function equal(actual: unknown, expected: unknown, what = 'the outcome'): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new AssertionError({
    message: `${what}: expected ${shown(expected)}, got ${shown(actual)}`,
    actual,
    expected,
    operator: 'deepStrictEqual',
  });
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new AssertionError({ message: what });
}

/** The value; fails where there is none. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AssertionError({ message: `${what} is missing` });
  return value;
}

/** The call rejects with this class, its code, and the session's key where one is given. */
export async function refused(
  call: () => Promise<unknown>,
  expected: ErrorClass,
  key?: string,
): Promise<SessionStoreError> {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    holds(error instanceof SessionStoreError, `expected ${expected.code}, got ${shown(error)}`);
    if (!(error instanceof SessionStoreError)) throw error;
    equal(error.code, expected.code, `the error's code (${error.message})`);
    holds(error instanceof expected, `the error is of the class ${expected.code}`);
    if (key !== undefined) equal(error.key, key, `the session that the error "${error.message}" names`);
    return error;
  }
  throw new AssertionError({ message: `expected ${expected.code}, but it resolved with ${shown(answer)}` });
}

/** Runs a proof; whatever goes wrong in it comes out as the broken promise. */
export async function proving(promise: string, proof: () => Promise<void>): Promise<void> {
  try {
    await proof();
  } catch (error) {
    const broken = new AssertionError(
      error instanceof AssertionError
        ? {
            message: `${promise}: ${error.message}`,
            actual: error.actual,
            expected: error.expected,
            operator: error.operator,
          }
        : { message: `${promise}: unexpected ${shown(error)}` },
    );
    broken.cause = error;
    throw broken;
  }
}

function shown(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const text = inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 200 });
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
