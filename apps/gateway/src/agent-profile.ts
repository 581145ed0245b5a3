import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentPrompt } from '@x/agent-runtime';

export interface ProfileSettings {
  /** `AGENT.md` of the default agent lies in it, that of another in a folder called by its id. */
  readonly folder: string;
  /** User turns after which a profile is given again; 0: never. */
  readonly reinjectEvery: number;
}

const DEFAULT_PROFILE = `# Who you are

You are a helpful assistant in a chat. You answer briefly and plainly, in the language of the person.
You say what you do not know, and ask where a wish is not clear.

This file is put at the beginning of each conversation. Write here what the agent should be.
`;

/** The profile of an agent, read each time it is given. A missing file is made; one that cannot be read rejects. */
export function agentProfile(settings: ProfileSettings, agentId: string, isDefault: boolean): AgentPrompt {
  const { folder, reinjectEvery } = settings;
  const path = isDefault ? join(folder, 'AGENT.md') : join(folder, agentId, 'AGENT.md');
  return {
    reinjectEvery,
    async read() {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, DEFAULT_PROFILE, { flag: 'wx' }).catch((failure: NodeJS.ErrnoException) => {
          // Another session was quicker.
          if (failure.code !== 'EEXIST') throw failure;
        });
        return readFile(path, 'utf8');
      }
    },
  };
}
