import { createSkillEventStore, type SkillEvent } from '@x/session-sqlite';
import type { Configuration } from '../configuration/configuration.js';
import { RunError } from '../run-error.js';
import { findSkills } from '../skills/skill-folders.js';
import { viewSkill, viewSkillEvent } from '../skills/skill-view.js';
import { readingOperations } from './operations.js';
import { table } from './table.js';

interface EventFilter {
  readonly skill?: string | undefined;
  readonly session?: string | undefined;
  readonly kind?: string | undefined;
  readonly limit: number;
}

const KINDS: ReadonlySet<string> = new Set([
  'found',
  'skipped',
  'gone',
  'used',
] satisfies SkillEvent['kind'][]);

export async function listSkills({ skills }: Configuration, asJson: boolean): Promise<string> {
  const found = (await findSkills(skills)).map(viewSkill);
  if (asJson) return `${JSON.stringify(found, null, 2)}\n`;
  if (found.length === 0) {
    return `No skills. A skill is a folder with a SKILL.md in ${skills.map(({ path }) => path).join(' or ')}.\n`;
  }
  return table(
    ['NAME', 'OF', 'WHEN TO USE IT'],
    found.map(({ name, source, description, reason, path }) => [
      name,
      source,
      description ?? `cannot be used: ${path}: ${reason}`,
    ]),
  );
}

export async function listSkillEvents(
  configuration: Configuration,
  { skill, session, kind, limit }: EventFilter,
  asJson: boolean,
): Promise<string> {
  if (kind !== undefined && !isKind(kind))
    throw new RunError(`--kind: expected one of ${[...KINDS].join(', ')}, got ${kind}.`, 2);
  const events = await readingOperations(configuration, async (file) =>
    file === undefined
      ? []
      : createSkillEventStore(file).list({
          limit,
          ...(skill === undefined ? {} : { skill }),
          ...(session === undefined ? {} : { sessionKey: session }),
          ...(kind === undefined ? {} : { kind }),
        }),
  );
  const views = events.map(viewSkillEvent);
  if (asJson) return `${JSON.stringify(views, null, 2)}\n`;
  if (views.length === 0) return 'Nothing has happened to skills yet.\n';
  return table(
    ['WHEN', 'WHAT', 'SKILL', 'OF', 'WHERE'],
    views.map(({ created_at, kind: what, skill: name, source, session_key, reason, path }) => [
      created_at.slice(0, 16).replace('T', ' '),
      what,
      name,
      source,
      session_key ?? (reason === null ? path : `${path}: ${reason}`),
    ]),
  );
}

function isKind(text: string): text is SkillEvent['kind'] {
  return KINDS.has(text);
}
