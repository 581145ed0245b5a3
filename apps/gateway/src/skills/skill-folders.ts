import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SkillFinding, SkillSource } from './skill.js';
import { parseSkillFile, type SkillFile } from './skill-file.js';

export interface SkillFolder {
  readonly source: SkillSource;
  /** Absolute; need not be there. */
  readonly path: string;
}

const LARGEST_FILE = 256 * 1024;

/** Looks through the folders in their order. Of two skills with one name the first is used, the second told as skipped. */
export async function findSkills(folders: readonly SkillFolder[]): Promise<readonly SkillFinding[]> {
  const found = await Promise.all(folders.map(skillsIn));
  const taken = new Map<string, string>();
  return found.flat().map((finding) => {
    const name = finding.name.toLowerCase();
    const first = taken.get(name);
    if (finding.reason !== undefined) return finding;
    if (first === undefined) {
      taken.set(name, finding.path);
      return finding;
    }
    return { ...finding, description: undefined, reason: `the name is taken by ${first}` };
  });
}

/** The file as it is now. Throws where it cannot be used. */
export async function readSkillFile(path: string): Promise<{ file: SkillFile; digest: string }> {
  const { size } = await stat(path);
  if (size > LARGEST_FILE) throw new Error(`the file is larger than ${LARGEST_FILE} bytes`);
  const bytes = await readFile(path);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { file: parseSkillFile(bytes.toString('utf8')), digest };
}

async function skillsIn({ path, source }: SkillFolder): Promise<readonly SkillFinding[]> {
  const names = await readdir(path).catch(() => []);
  const findings = await Promise.all(
    names.toSorted().map((name) => skillAt(join(path, name, 'SKILL.md'), source)),
  );
  return findings.filter((finding) => finding !== undefined);
}

/** Undefined where the folder holds no skill. */
async function skillAt(path: string, source: SkillSource): Promise<SkillFinding | undefined> {
  const folder = basename(join(path, '..'));
  try {
    const { file, digest } = await readSkillFile(path);
    const name = file.name ?? folder;
    return { name, source, path, digest, description: file.description, reason: undefined };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = code === undefined ? message : `the file cannot be read (${code})`;
    return { name: folder, source, path, digest: undefined, description: undefined, reason };
  }
}
