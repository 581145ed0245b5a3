import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Skill } from './skill.js';
import { readSkillFile } from './skill-folders.js';

const LARGEST_FILE = 100_000;
const MOST_FILES = 100;

/** What the model is told when it takes a skill up: what to do, and which files lie beside it. */
export async function skillContent(skill: Skill): Promise<string> {
  const { file } = await readSkillFile(skill.path);
  const files = await filesBeside(skill.path);
  const beside =
    files.length === 0
      ? ''
      : `\n\nFiles of this skill, to be read with activate_skill and file:\n${files.map((name) => `- ${name}`).join('\n')}`;
  return `# ${skill.name}\n\n${file.body}${beside}`;
}

/** The text of a file in the skill's folder. Throws for what lies outside, by links too, and for what is too large. */
export async function fileOfSkill(skill: Skill, name: string): Promise<string> {
  const folder = await realpath(dirname(skill.path));
  const path = await realpath(join(folder, name)).catch(() => undefined);
  if (path === undefined || !path.startsWith(folder + sep))
    throw new Error(`The skill ${skill.name} has no file ${JSON.stringify(name)}.`);
  const { size } = await stat(path);
  if (size > LARGEST_FILE) throw new Error(`${name} is larger than ${LARGEST_FILE} bytes.`);
  return readFile(path, 'utf8');
}

async function filesBeside(skillFile: string): Promise<readonly string[]> {
  const folder = dirname(skillFile);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => name !== 'SKILL.md')
    .toSorted()
    .slice(0, MOST_FILES);
}
