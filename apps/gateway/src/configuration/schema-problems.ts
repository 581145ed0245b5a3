import type { z } from 'zod';

/** What a schema has against a value: where, and what was expected there, one entry for each complaint. */
export function schemaProblems(error: z.ZodError): { path: string; message: string }[] {
  return error.issues.flatMap((issue) => {
    const path = writtenPath(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: writtenPath([...issue.path, key]), message: 'unknown name' }));
    }
    return [
      { path, message: issue.message.replace(/^Invalid input: /, '').replace(', received ', ', got ') },
    ];
  });
}

/** `['session', 'dimensions', 1]` as `session.dimensions[1]`. */
export function writtenPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      return index === 0 ? String(step) : `.${String(step)}`;
    })
    .join('');
}
