import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { openai, provider } from './support/model-provider.js';
import { holdfast, startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const SOUP = '---\ndescription: Use when soup is to be cooked.\n---\n# Soup\n\nBoil water first.\n';

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A project with skills, good and bad, and a user who has some as well. */
function folderWithSkills(): string {
  const folder = temporaryFolder();
  write(join(folder, 'skills/soup/SKILL.md'), SOUP);
  write(join(folder, 'skills/soup/spices/list.md'), 'Pepper.');
  write(join(folder, 'skills/broken/SKILL.md'), '# No front matter');
  write(join(folder, 'skills/no-skill/README.md'), 'Nothing here.');
  write(
    join(folder, '.holdfast/skills/tea/SKILL.md'),
    '---\nname: tea\ndescription: Use for tea.\n---\nSteep it.',
  );
  write(join(folder, '.holdfast/skills/soup/SKILL.md'), SOUP.replace('Boil', 'Burn'));
  return folder;
}

async function started(folder: string, environment: Readonly<Record<string, string>> = {}) {
  const gateway = await startProgram(folder, environment);
  onTestFinished(async () => void (await gateway.end()));
  return { gateway, client: clientOf(gateway.url) };
}

interface Event {
  readonly kind: string;
  readonly skill: string;
  readonly session_key: string | null;
}

async function eventsOf(url: string, query = ''): Promise<readonly Event[]> {
  const answer = await fetch(`${url}/api/skill-events${query}`);
  return ((await answer.json()) as { events: Event[] }).events;
}

test('the model is shown at each run what skills there are now, and the history is not', async () => {
  const folder = folderWithSkills();
  const { asked, url } = await provider(openai);
  const { client } = await started(folder, { OPENAI_BASE_URL: url, HOLDFAST_MODEL: 'any' });
  const { session_key } = await client.post('/api/chat', { text: 'hello', session: 'kitchen' });
  expect(asked[0]?.body).toContain('- soup: Use when soup is to be cooked.');
  expect(asked[0]?.body).toContain('- tea: Use for tea.');
  expect(asked[0]?.body).not.toContain('broken');
  write(join(folder, 'skills/bread/SKILL.md'), '---\ndescription: Use for bread.\n---\nKnead.');
  rmSync(join(folder, '.holdfast/skills/tea'), { recursive: true });
  await client.post('/api/chat', { text: 'again', session: 'kitchen' });
  expect(asked[1]?.body).toContain('- bread: Use for bread.');
  expect(asked[1]?.body).not.toContain('Use for tea.');
  expect(JSON.stringify(await client.messages(session_key))).not.toContain('Use ');
});

test('skills found, skipped, used and gone are recorded and listed, once', async () => {
  const folder = folderWithSkills();
  const { gateway, client } = await started(folder);
  expect(gateway.errors()).toMatch(/A skill is skipped: .*broken.SKILL\.md: there is no front matter/);
  const taken = await client.post('/api/chat', { text: 'use the skill SOUP', session: 'kitchen' });
  expect(taken.reply).toContain('Boil water first.');
  expect(taken.reply).toContain('- spices/list.md');
  const missing = await client.post('/api/chat', { text: 'use the skill stew', session: 'kitchen' });
  expect(missing.reply).toContain('There are: soup, tea.');
  rmSync(join(folder, 'skills/broken'), { recursive: true });
  await client.post('/api/chat', { text: 'hello', session: 'kitchen' });

  const events = await eventsOf(gateway.url);
  expect(events.map(({ kind, skill }) => `${kind} ${skill}`)).toEqual([
    'gone broken',
    'used soup',
    'found tea',
    'skipped soup',
    'found soup',
    'skipped broken',
  ]);
  expect(await eventsOf(gateway.url, '?session=kitchen')).toEqual([
    expect.objectContaining({
      kind: 'used',
      skill: 'soup',
      session_key: taken.session_key,
      agent_id: 'main',
    }),
  ]);
  const page = await fetch(`${gateway.url}/api/skill-events?limit=1&kind=found`);
  expect(await page.json()).toMatchObject({ events: [{ kind: 'found' }], next_cursor: expect.any(Number) });

  const run = (...words: string[]) => holdfast(folder, ['skills', ...words]);
  expect(JSON.parse((await run('events', '--json', '--kind', 'used')).stdout)).toMatchObject([
    { skill: 'soup' },
  ]);
  expect((await run('events')).stdout).toContain('gone');
  expect(await run('events', '--kind', 'eaten')).toMatchObject({ code: 2 });
  await gateway.end();
  const again = await started(folder);
  expect(await eventsOf(again.gateway.url)).toHaveLength(events.length);
});

test('skills are listed with why some cannot be used, over HTTP and by the command line', async () => {
  const folder = folderWithSkills();
  const { gateway } = await started(folder);
  const { skills } = (await (await fetch(`${gateway.url}/api/skills`)).json()) as { skills: unknown[] };
  expect(skills).toEqual([
    {
      name: 'broken',
      description: null,
      source: 'project',
      path: join(folder, 'skills/broken/SKILL.md'),
      usable: false,
      reason: expect.stringContaining('no front matter'),
    },
    expect.objectContaining({ name: 'soup', source: 'project', usable: true, reason: null }),
    expect.objectContaining({
      name: 'soup',
      source: 'user',
      usable: false,
      reason: expect.stringContaining('taken'),
    }),
    expect.objectContaining({ name: 'tea', source: 'user', description: 'Use for tea.' }),
  ]);
  const listed = await holdfast(folder, ['skills', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toEqual(skills);
  expect((await holdfast(folder, ['skills', 'list'])).stdout).toContain('Use when soup');
  expect((await holdfast(temporaryFolder(), ['skills', 'list'])).stdout).toContain('No skills.');
});

test('files of a skill are read, and nothing outside its folder, by links neither', async () => {
  const { fileOfSkill } = await import('../src/skills/skill-content.js');
  const { findSkills } = await import('../src/skills/skill-folders.js');
  const { isUsable } = await import('../src/skills/skill.js');
  const folder = folderWithSkills();
  symlinkSync(join(folder, 'skills/broken/SKILL.md'), join(folder, 'skills/soup/link.md'));
  const [soup] = (await findSkills([{ source: 'project', path: join(folder, 'skills') }])).filter(isUsable);
  if (soup === undefined) throw new Error('No skill was found.');
  expect(await fileOfSkill(soup, 'spices/list.md')).toBe('Pepper.');
  for (const name of [
    '../broken/SKILL.md',
    'link.md',
    '/etc/hostname',
    'spices',
    '.',
    'nothing',
    'spices/../..',
  ]) {
    await expect(fileOfSkill(soup, name)).rejects.toThrow();
  }
});
