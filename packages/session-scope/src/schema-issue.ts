import type { z } from 'zod/mini';

/** The first thing wrong with a value: where, and what was expected there. */
export function firstIssue(error: z.core.$ZodError): { readonly path: string; readonly expected: string } {
  const issue = error.issues[0];
  return {
    path: issue?.path.map(String).join('.') ?? '',
    expected: issue?.message ?? 'another shape expected',
  };
}
