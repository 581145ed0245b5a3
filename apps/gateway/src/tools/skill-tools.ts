import { defineTool, type Tool } from '@x/agent-runtime';
import { z } from 'zod';
import { isUsable } from '../skills/skill.js';
import type { Skills } from '../skills/skills.js';

/** What an agent may do with the skills that are there. */
export function skillTools(skills: Skills, agentId: string): readonly Tool[] {
  return [
    defineTool({
      name: 'list_skills',
      description: 'Lists the skills that there are, and when to use each.',
      inputSchema: z.object({}),
      async execute() {
        const usable = (await skills.list()).filter(isUsable);
        if (usable.length === 0) return 'There are no skills.';
        return usable.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
      },
    }),
    defineTool({
      name: 'activate_skill',
      description:
        'Tells what to do by a skill. With file: the text of one of the files that belong to the skill.',
      inputSchema: z.object({ name: z.string().min(1), file: z.string().min(1).optional() }),
      execute: ({ name, file }, { sessionKey }) => skills.activate(name, { agentId, sessionKey }, file),
    }),
  ];
}
