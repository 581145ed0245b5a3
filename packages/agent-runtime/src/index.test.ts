import { expect, it } from 'vitest';
import * as surface from './index.js';

it('exports this and no more', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "AgentRuntimeError",
      "SUMMARY_INSTRUCTIONS",
      "createAgentRuntime",
      "createEphemeralSessionStore",
      "createFileJournal",
      "createSpawnTool",
      "defineTool",
      "modelMessages",
      "openWithFallback",
      "sessionUsage",
      "summariseSession",
      "turnState",
    ]
  `);
});
