import type { SkillEvent } from '@x/session-sqlite';
import type { SkillFinding } from './skill.js';

/** A skill as the API and the command line write it. */
export interface SkillView {
  readonly name: string;
  readonly description: string | null;
  readonly source: string;
  readonly path: string;
  readonly usable: boolean;
  /** Why it is not usable. */
  readonly reason: string | null;
}

export interface SkillEventView {
  readonly id: number;
  readonly kind: string;
  readonly skill: string;
  readonly source: string;
  readonly path: string;
  readonly reason: string | null;
  readonly agent_id: string | null;
  readonly session_key: string | null;
  readonly created_at: string;
}

export function viewSkill({ name, description, source, path, reason }: SkillFinding): SkillView {
  return {
    name,
    description: description ?? null,
    source,
    path,
    usable: reason === undefined,
    reason: reason ?? null,
  };
}

export function viewSkillEvent(event: SkillEvent): SkillEventView {
  return {
    id: event.id,
    kind: event.kind,
    skill: event.skill,
    source: event.source,
    path: event.path,
    reason: event.reason ?? null,
    agent_id: event.agentId ?? null,
    session_key: event.sessionKey ?? null,
    created_at: event.createdAt,
  };
}
