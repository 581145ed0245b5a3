import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/folders.js';
import { agentFolders, listFolder } from './folder-listing.js';
import { createOpenclawBackend } from './index.js';
import { placeTranscript } from './transcript-place.js';

function agents() {
  const root = temporaryFolder();
  const folders = ['a', 'b'].map((agent) => join(root, 'agents', agent, 'sessions'));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const [sessions = '', other = ''] = folders;
  for (const name of ['s1.jsonl', 's2-topic-7.jsonl']) writeFileSync(join(sessions, name), '');
  writeFileSync(join(other, 'theirs.jsonl'), '');
  writeFileSync(join(root, 'secret.jsonl'), '');
  symlinkSync(join(root, 'secret.jsonl'), join(sessions, 'link.jsonl'));
  const place = (sessionFile: string | undefined, sessionId = 's1') => {
    const entry = { sessionId, ...(sessionFile === undefined ? {} : { sessionFile }) };
    const { path, findings } = placeTranscript(sessions, listFolder(sessions), 'k', entry);
    return [path === undefined ? undefined : basename(path), ...findings.map(({ code }) => code)];
  };
  return { root, sessions, other, place };
}

test('a transcript is found by its name, by a path of another time, or by the id of its session', () => {
  const { sessions, other, place } = agents();
  expect(place('s1.jsonl')).toEqual(['s1.jsonl']);
  expect(place(join(sessions, 's1.jsonl'))).toEqual(['s1.jsonl']);
  expect(place('s2-topic-7.jsonl', 's2')).toEqual(['s2-topic-7.jsonl']);
  expect(place('/home/x/.clawdbot/agents/a/sessions/s1.jsonl')).toEqual(['s1.jsonl', 'path-remapped']);
  expect(place('C:\\Users\\x\\.openclaw\\agents\\a\\sessions\\s1.jsonl')).toEqual([
    's1.jsonl',
    'path-remapped',
  ]);
  expect(place(join(other, 'theirs.jsonl'))).toEqual(['theirs.jsonl', 'path-remapped']);
  symlinkSync(join(other, '..'), join(other, '../../linked'));
  expect(place(join(other, '../../linked/sessions/theirs.jsonl'))).toEqual(['s1.jsonl', 'path-derived']);
  expect(place(undefined)).toEqual(['s1.jsonl', 'path-derived']);
  expect(place('gone.jsonl')).toEqual(['s1.jsonl', 'path-derived']);
  expect(place('gone.jsonl', 'gone')).toEqual([undefined]);
});

test.each([
  '../../../secret.jsonl',
  '/etc/hostname',
  '/etc/agents/x/sessions/y',
  'link.jsonl',
  './../sessions/../../b/../../secret.jsonl',
  '..',
  '\u0000',
])('nothing outside is opened: %j', (sessionFile) => {
  const { place } = agents();
  expect(place(sessionFile, 'none')[0]).toBeUndefined();
  expect(place(undefined, sessionFile)[0]).toBeUndefined();
});

test('an agent is found from its state folder, its own or its sessions folder; links are no agents', async () => {
  const { root, sessions } = agents();
  symlinkSync(join(root, 'agents/a'), join(root, 'agents/linked'));
  mkdirSync(join(root, 'agents/c'));
  symlinkSync(join(root, 'agents/a/sessions'), join(root, 'agents/c/sessions'));
  expect(agentFolders(root).map(({ agentId }) => agentId)).toEqual(['a', 'b']);
  expect(agentFolders(join(root, 'agents')).map(({ agentId }) => agentId)).toEqual(['a', 'b']);
  expect(agentFolders(join(root, 'agents/a'))).toMatchObject([{ agentId: 'a', sessions }]);
  expect(agentFolders(sessions)).toMatchObject([{ agentId: 'a', sessions }]);
  expect(agentFolders(join(root, 'nowhere'))).toEqual([]);
  await expect(createOpenclawBackend({ directory: join(root, 'nowhere') })).rejects.toMatchObject({
    code: 'StoreFailed',
  });
});
