/** Project skills stand before those of the user: of two with one name, the first is used. */
export type SkillSource = 'project' | 'user';

/** A folder of a skills folder: what can be used, or why it cannot. */
export interface SkillFinding {
  /** Its name, or its folder's where it says none. */
  readonly name: string;
  readonly source: SkillSource;
  /** Its SKILL.md, absolute. */
  readonly path: string;
  /** Of the file's content; undefined where it cannot be read. */
  readonly digest: string | undefined;
  /** When to use it, on one line; undefined where it cannot be used. */
  readonly description: string | undefined;
  /** Why it cannot be used. */
  readonly reason: string | undefined;
}

/** A skill that can be used. */
export interface Skill extends SkillFinding {
  readonly digest: string;
  readonly description: string;
  readonly reason: undefined;
}

export function isUsable(finding: SkillFinding): finding is Skill {
  return finding.reason === undefined;
}
