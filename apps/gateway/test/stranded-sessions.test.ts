import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayHere } from './support/gateway-here.js';
import { holdfast } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

it('the doctor tells what a change of the configuration would strand', async () => {
  const folder = temporaryFolder();
  const here = await gatewayHere({}, folder);
  const group = { channel: 'slack', chatType: 'group', chatId: 'C1', senderId: 'ann' };
  const { key } = await here.say('hello all', { context: group });
  await here.say('hello', { context: { ...group, chatType: 'direct', chatId: 'D1' } });
  await here.say('hello', { session: 'notes' });

  const doctor = async (configuration: object) => {
    const file = join(folder, 'candidate.json');
    writeFileSync(file, JSON.stringify(configuration));
    const { code, stdout } = await holdfast(folder, ['doctor', '--json', '--config', file]);
    return { code, ...JSON.parse(stdout) };
  };
  expect(await doctor({})).toEqual({ code: 0, problems: [], sessions: 3, messages: expect.any(Number) });
  const split = await doctor({ session: { dimensions: ['chat', 'sender'] } });
  expect(split).toMatchObject({
    code: 0,
    problems: [],
    stranded: [{ session: key, fate: 'taken', cause: 'dimensions' }],
  });
  const led = {
    list: [{ id: 'main', default: true }, { id: 'new' }],
    dispatch: { rules: [{ agent: 'new', when: { channel: 'slack' } }] },
  };
  const { stranded } = await doctor({ agents: led });
  expect(stranded.map(({ fate, cause }: Record<string, string>) => [fate, cause])).toEqual([
    ['stranded', 'agent'],
    ['stranded', 'agent'],
  ]);
  expect((await holdfast(folder, ['doctor', '--config', join(folder, 'candidate.json')])).stdout).toContain(
    'The configuration leads past 2 sessions.',
  );
});
