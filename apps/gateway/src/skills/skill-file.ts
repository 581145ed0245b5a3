import { parse } from 'yaml';
import { z } from 'zod';

/** What a SKILL.md says: when to use it, and what to do then. */
export interface SkillFile {
  /** Undefined where it says none: then it is called as its folder. */
  readonly name: string | undefined;
  readonly description: string;
  /** Markdown, without the front matter. */
  readonly body: string;
}

const LONGEST_DESCRIPTION = 1024;
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)(.*)$/ms;

const name = z
  .string('name: expected text')
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, 'name: expected 1 to 64 letters, digits, ".", "_" or "-"');
const description = z
  .string('description: expected text that says when to use the skill')
  .transform((text) => text.trim().replace(/\s+/g, ' '))
  .pipe(
    z
      .string()
      .min(1, 'description: expected text that says when to use the skill')
      .max(LONGEST_DESCRIPTION, `description: expected at most ${LONGEST_DESCRIPTION} characters`),
  );
const frontMatterSchema = z.object(
  { name: name.nullish(), description },
  'expected fields in the front matter',
);

/** Throws an `Error` that says what is wrong with the file, in words for its author. */
export function parseSkillFile(text: string): SkillFile {
  const [, front, body] = FRONT_MATTER.exec(text) ?? [];
  if (front === undefined || body === undefined)
    throw new Error('there is no front matter: the file begins with fields between two lines of ---');
  const fields = frontMatterSchema.safeParse(parseYaml(front));
  if (!fields.success) throw new Error(fields.error.issues.map(({ message }) => message).join('; '));
  return { name: fields.data.name ?? undefined, description: fields.data.description, body: body.trim() };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 10, logLevel: 'error' });
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : '').split('\n');
    throw new Error(`the front matter is not YAML: ${reason}`);
  }
}
