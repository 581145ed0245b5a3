import { z } from 'zod';
import { defineTool, type Tool } from '../src/index.js';

/** A tool that runs until the test lets it go. */
export interface GatedTool {
  readonly tool: Tool;
  /** Resolves when it has been called so often. */
  called(times?: number): Promise<void>;
  finish(result: string): void;
  readonly signals: readonly AbortSignal[];
}

export function gatedTool(name: string): GatedTool {
  const ends: ((result: string) => void)[] = [];
  const signals: AbortSignal[] = [];
  let waiting: (() => void)[] = [];
  let calls = 0;
  return {
    signals,
    tool: defineTool({
      name,
      description: 'Takes as long as it takes.',
      inputSchema: z.object({}),
      execute: (_input, { signal }) =>
        new Promise<string>((resolve) => {
          signals.push(signal);
          ends.push(resolve);
          calls += 1;
          for (const wake of waiting.splice(0)) wake();
        }),
    }),
    async called(times = 1) {
      while (calls < times) await new Promise<void>((resolve) => waiting.push(resolve));
      waiting = [];
    },
    finish: (result) => ends.shift()?.(result),
  };
}
