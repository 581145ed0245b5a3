import type { SkillEventStore } from '@x/session-sqlite';
import type { Log } from '../log.js';
import { isUsable, type Skill, type SkillFinding } from './skill.js';
import { fileOfSkill, skillContent } from './skill-content.js';
import { findSkills, type SkillFolder } from './skill-folders.js';

/** Where a skill is taken up. */
export interface SkillPlace {
  readonly agentId: string;
  readonly sessionKey: string;
}

/** The skills in the folders, as they are at the moment. */
export interface Skills {
  /** All that is there, what cannot be used as well. */
  list(): Promise<readonly SkillFinding[]>;
  /** What the model is told at each run: names and when to use them. Empty where there are none. Never rejects. */
  index(): Promise<string>;
  /** What to do by a skill, or one of its files; noted as used. Throws where there is no such skill. */
  activate(name: string, place: SkillPlace, file?: string): Promise<string>;
}

/** More than that would crowd out the conversation. */
const MOST_IN_INDEX = 100;

export function createSkills(
  folders: readonly SkillFolder[],
  events: SkillEventStore,
  log: Pick<Log, 'warn'>,
): Skills {
  let noted = '';

  /** What differs from the last look is recorded, and told where it cannot be used. */
  async function look(): Promise<readonly SkillFinding[]> {
    const findings = await findSkills(folders);
    const seen = JSON.stringify(findings);
    if (seen === noted) return findings;
    const news = await events.recordFound(
      findings.map(({ name, source, path, digest, reason }) => ({
        kind: reason === undefined ? 'found' : 'skipped',
        skill: name,
        source,
        path,
        ...(digest === undefined ? {} : { digest }),
        ...(reason === undefined ? {} : { reason }),
      })),
      folders.map(({ path }) => path),
    );
    noted = seen;
    for (const { kind, path, reason } of news)
      if (kind === 'skipped') log.warn({ path, reason }, `A skill is skipped: ${path}: ${reason}.`);
    return findings;
  }

  async function skillNamed(name: string): Promise<Skill> {
    const wanted = name.trim().toLowerCase();
    const skills = (await look()).filter(isUsable);
    const found = skills.find((skill) => skill.name.toLowerCase() === wanted);
    if (found !== undefined) return found;
    const known = skills.map((skill) => skill.name).join(', ');
    throw new Error(
      `There is no skill ${JSON.stringify(name)}. ${known === '' ? 'There are none.' : `There are: ${known}.`}`,
    );
  }

  return {
    list: look,
    async index() {
      try {
        return indexText((await look()).filter(isUsable));
      } catch (error) {
        log.warn({ err: error }, 'The skills could not be looked through: this run goes on without them.');
        return '';
      }
    },
    async activate(name, { agentId, sessionKey }, file) {
      const skill = await skillNamed(name);
      if (file !== undefined) return fileOfSkill(skill, file);
      const content = await skillContent(skill);
      const { source, path, digest } = skill;
      await events.record({ kind: 'used', skill: skill.name, source, path, digest, agentId, sessionKey });
      return content;
    },
  };
}

function indexText(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const more = skills.length - MOST_IN_INDEX;
  return [
    'Skills that you have. Where one fits what you are asked, call activate_skill with its name first, and do as it says:',
    ...skills.slice(0, MOST_IN_INDEX).map(({ name, description }) => `- ${name}: ${description}`),
    ...(more > 0 ? [`- and ${more} more, which list_skills tells`] : []),
  ].join('\n');
}
