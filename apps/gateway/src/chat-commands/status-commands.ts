import { resetRule, staleReason } from '@x/session-store/policies';
import type { ChatCommand, CommandCall } from './command-call.js';

export const STATUS: ChatCommand = {
  name: 'status',
  usage: '/status',
  summary: 'says where you are: session, agent, model, how much is remembered',
  changes: () => false,
  async run(call) {
    const { house, session, agentId } = call;
    const { activeCount, messageCount, summary } = session;
    return {
      answer: [
        `Session: ${session.title ?? session.key}`,
        `Agent: ${agentId}, model ${modelOf(call)}`,
        `Messages: ${messageCount}, of which the agent sees ${activeCount}${summary === '' ? '' : ' and a summary'}`,
        ...(session.segments.length === 0 ? [] : [`Earlier conversations here: ${session.segments.length}`]),
        `Begins anew: ${whenAnew(call)}`,
        house.runtime.running(session.key) === undefined ? 'Idle.' : 'An answer is coming.',
      ].join('\n'),
    };
  },
};

export const TITLE: ChatCommand = {
  name: 'title',
  usage: '/title [name]',
  summary: 'names this conversation, or says its name',
  changes: (rest) => rest !== '',
  async run({ house, session, rest }) {
    if (rest === '')
      return { answer: session.title ?? 'This conversation has no name yet. /title NAME gives it one.' };
    if (rest.length > 200 || /\p{Cc}/u.test(rest))
      return { answer: 'A name has at most 200 characters, and none that command a terminal.' };
    await house.backend.rename(session.key, rest);
    return { answer: `This conversation is called “${rest}” now.` };
  },
};

export const MODEL: ChatCommand = {
  name: 'model',
  usage: '/model [name]',
  summary: 'says which model answers here, or chooses another',
  changes: (rest) => rest !== '',
  async run(call) {
    const { house, session, rest } = call;
    const { models } = house.agents;
    const choices = `There are: ${models.join(', ')}.`;
    if (rest === '') return { answer: `${modelOf(call)} answers here. ${choices}` };
    const chosen = models.find((name) => name === rest || name.endsWith(`:${rest}`));
    if (chosen === undefined) return { answer: `There is no model ${rest} here. ${choices}` };
    await house.backend.ensure(session.key, { attributes: { model: chosen } });
    return { answer: `${chosen} answers in this conversation from now on.` };
  },
};

function modelOf({ house, session, agentId }: CommandCall): string {
  const { model } = session.attributes;
  return house.agents.get(agentId, typeof model === 'string' ? model : undefined).modelName;
}

function whenAnew({ house, session }: CommandCall): string {
  const rule = resetRule(house.configuration.reset, session);
  if (staleReason(session, rule, house.clock()) !== undefined) return 'with your next message';
  const { dailyAtHour, idleMinutes, timeZone } = rule;
  const ways = [
    ...(dailyAtHour === undefined ? [] : [`every day at ${dailyAtHour}:00 (${timeZone})`]),
    ...(idleMinutes === undefined ? [] : [`after ${idleMinutes} minutes of silence`]),
    'with /new',
  ];
  return ways.join(', ');
}
