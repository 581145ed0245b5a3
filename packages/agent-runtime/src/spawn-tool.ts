import { z } from 'zod';
import { defineTool, type Tool } from './agent.js';
import type { AgentModel } from './agent-model.js';

/** Longer than a sub-turn waits for room and then runs, so that its own limits speak first. */
const LONGER_THAN_ANY_MS = 400_000;

const inputSchema = z.object({
  task: z.string().min(1).describe('The whole task, with all that is needed to know: nothing else is seen.'),
  tools: z.array(z.string()).optional().describe('Names of your own tools that it may use. Default: all.'),
  background: z.boolean().optional().describe('True: do not wait; the result comes as a later message.'),
  critical: z.boolean().optional().describe('In the background: go on even when your own turn has ended.'),
});

export interface SpawnToolOptions {
  /** The tools that may be given on, by name. Default: what the agent has. */
  readonly tools?: readonly Tool[];
  /** Does the tasks, in place of the agent's own. */
  readonly model?: AgentModel;
}

/** `spawn`: lets a model give a task to a turn of its own, and wait for the result or not. */
export function createSpawnTool({ tools, model }: SpawnToolOptions = {}): Tool {
  return defineTool({
    name: 'spawn',
    description:
      'Gives a task to a helper with a conversation of its own, and returns its result. Several in one answer run side by side.',
    inputSchema,
    runsBesideOthers: true,
    timeoutMs: LONGER_THAN_ANY_MS,
    async execute({ task, tools: names, background = false, critical = false }, context) {
      const { subTurns } = context;
      if (subTurns === undefined) throw new Error('A task can be given only from within a turn.');
      const available = tools ?? context.tools ?? [];
      const unknown = names?.filter((name) => !available.some((tool) => tool.name === name)) ?? [];
      if (unknown.length > 0) throw new Error(`There is no tool ${unknown.join(', ')} to be given on.`);
      const request = {
        task,
        tools: names === undefined ? available : available.filter(({ name }) => names.includes(name)),
        isCritical: critical,
        ...(model === undefined ? {} : { model }),
      };
      if (background) {
        const id = subTurns.start(request);
        return `Started as ${id}. Its result will come as a message that begins with [SubTurn Result].`;
      }
      const { status, text } = await subTurns.run(request, context.signal);
      if (status !== 'done') throw new Error(`It ended as ${status}: ${text}`);
      return text;
    },
  });
}
