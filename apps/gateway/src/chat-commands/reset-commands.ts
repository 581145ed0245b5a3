import { endTurns } from '../session-turns.js';
import type { ChatCommand, CommandCall, CommandOutcome } from './command-call.js';

const reset: Omit<ChatCommand, 'name' | 'usage' | 'summary'> = {
  changes: () => true,
  closesSegment: true,
  async run(call) {
    const { house, session, rest } = call;
    const model = house.agents.models.find((name) => name === rest || name.endsWith(`:${rest}`));
    await endTurns(house.runtime, session.key, 'The conversation was begun anew.');
    const kept = session.activeCount === 0 ? '' : ' What was said stays readable: /sessions lists it.';
    return {
      answer: `A new conversation begins.${kept}${model === undefined ? '' : ` ${model} answers from now on.`}`,
      finish: () => beginAnew(call, model),
      ...(rest !== '' && model === undefined && { firstWords: rest }),
    };
  },
};

async function beginAnew({ house, session }: CommandCall, model: string | undefined): Promise<void> {
  await house.backend.reset(session.key, { reason: 'command' });
  if (model !== undefined) await house.backend.ensure(session.key, { attributes: { model } });
}

export const NEW: ChatCommand = {
  name: 'new',
  usage: '/new [words]',
  summary: 'begins a new conversation here; the words are its first message',
  ...reset,
};

export const RESET: ChatCommand = {
  name: 'reset',
  usage: '/reset [words]',
  summary: 'the same',
  ...reset,
};

export const STOP: ChatCommand = {
  name: 'stop',
  usage: '/stop',
  summary: 'ends the answer that is coming',
  changes: () => false,
  async run({ house, session }): Promise<CommandOutcome> {
    const isStopped = house.runtime.stop(session.key, 'Stopped by the person.');
    return { answer: isStopped ? 'Stopped.' : 'Nothing is running here.' };
  },
};
