import { normaliseAgentId, normaliseText } from '@x/session-scope';
import type { WrittenAgents } from './config-schema.js';
import type { Report } from './findings.js';

export interface AgentList {
  readonly ids: readonly string[];
  readonly defaultId: string;
}

/** The `agents.list` block: who exists, and who answers where no rule decides. */
export function readAgentList(agents: WrittenAgents | null | undefined, report: Report): AgentList {
  const ids = new Set<string>();
  let chosen: string | undefined;
  for (const [index, agent] of (agents?.list ?? []).entries()) {
    const id = normaliseAgentId(agent.id ?? '');
    const path = `agents.list[${index}]`;
    if (normaliseText(agent.id ?? '') === '') {
      report({
        code: 'empty_agent_id',
        path: `${path}.id`,
        message: 'An agent has no id; expected a name.',
        remedy: `It is called ${id}.`,
      });
    } else if (ids.has(id)) {
      report({
        code: 'duplicate_agent',
        path: `${path}.id`,
        message: `"${agent.id}" names the agent ${id}, which is listed before; expected each agent once.`,
        remedy: 'Both mean one agent.',
      });
    }
    if (agent.default === true && chosen !== undefined) {
      report({
        code: 'two_defaults',
        path: `${path}.default`,
        message: `${id} is marked as default, and so is ${chosen}; expected one default agent at most.`,
        remedy: `The default agent is ${chosen}.`,
      });
    }
    if (agent.default === true && normaliseText(agent.id ?? '') !== '') chosen ??= id;
    ids.add(id);
  }
  const [first = normaliseAgentId('')] = ids;
  return { ids: Object.freeze([...ids]), defaultId: chosen ?? first };
}
