import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import expected from '../test/fixtures/picoclaw/expected.json' with { type: 'json' };
import { picoclawView, tempFolder } from '../test/folders.js';
import { createJsonlBackend, type Finding } from './index.js';

const fixture = join(import.meta.dirname, '../test/fixtures/picoclaw/sessions');
const slack = 'sk_v1_cc8430454f012a0e85f524edabb9fb846a3f5d848b1fc77382833f3d89076841';
const broken = 'sk_v1_657f03ff304355ca45d464f8956f56f92a49b9c42d5bc5731dcab1561f361411';
const overskipped = 'sk_v1_6da76382455ece56c4c178311b775b70246e0a6706718e1c91f1b249b4962347';

async function openCopy() {
  const directory = await tempFolder();
  await cp(fixture, directory, { recursive: true });
  const findings: Finding[] = [];
  return {
    directory,
    findings,
    open: () => createJsonlBackend({ directory, onFinding: (finding) => findings.push(finding) }),
  };
}

describe('a folder of PicoClaw', () => {
  it.each(expected.sessions)('shows session $key', async (wanted) => {
    const { open } = await openCopy();
    const store = await open();
    const meta = await store.meta(wanted.key);
    const visible = await store.read(wanted.key);
    const all = await store.read(wanted.key, { segment: 'all' });
    expect(visible.map(({ role }) => role)).toEqual(wanted.roles);
    expect(visible.at(-1)?.content ?? null).toBe(wanted.last);
    expect(all).toHaveLength(wanted.total);
    expect(meta).toMatchObject({
      summary: wanted.summary,
      activeCount: wanted.visible,
      messageCount: wanted.total,
      ...('aliases' in wanted ? { aliases: wanted.aliases } : {}),
    });
    await store.close();
  });

  it('lists exactly these sessions, and leads every name where it belongs', async () => {
    const { open } = await openCopy();
    const store = await open();
    const { sessions } = await store.list();
    expect(sessions.map(({ key }) => key).sort()).toEqual(expected.sessions.map(({ key }) => key).sort());
    for (const [name, key] of Object.entries(expected.resolve)) expect(await store.resolve(name)).toBe(key);
    expect(await store.resolve('cli:notes')).toBe('cli_notes');
    await store.close();
  });

  it('reports what is wrong by file and line, once', async () => {
    const { open, findings } = await openCopy();
    const store = await open();
    for (let round = 0; round < 2; round += 1) {
      for (const { key } of expected.sessions) await store.read(key, { segment: 'all', order: 'desc' });
    }
    const lines = findings.filter(({ key, line }) => key === slack && line !== undefined);
    expect(lines.map(({ line }) => line)).toEqual([3, 5]);
    expect(
      lines.every(({ path, message }) => path.endsWith(`${slack}.jsonl`) && message.includes('line')),
    ).toBe(true);
    expect(findings.filter(({ code }) => code === 'broken-metadata').map(({ key }) => key)).toEqual([broken]);
    await store.close();
  });

  it('changes nothing by being opened, read and closed fifty times, but metadata that nobody can read', async () => {
    const { directory, open } = await openCopy();
    for (let round = 0; round < 50; round += 1) {
      const store = await open();
      await store.read(slack);
      await store.close();
    }
    for (const name of await readdir(fixture)) {
      if (name === `${broken}.meta.json`) continue;
      expect(await readFile(join(directory, name))).toEqual(await readFile(join(fixture, name)));
    }
  });

  it('goes on from every session, and is still there after a reopening', async () => {
    const { directory, open } = await openCopy();
    const store = await open();
    for (const { key } of expected.sessions)
      await store.append(key, [{ role: 'user', content: `on with ${key}` }]);
    const before = new Map(
      await Promise.all(
        expected.sessions.map(
          async ({ key }) =>
            [key, [await store.meta(key), await store.read(key, { segment: 'all' })]] as const,
        ),
      ),
    );
    await store.close();
    const again = await open();
    for (const wanted of expected.sessions) {
      const { key } = wanted;
      expect([await again.meta(key), await again.read(key, { segment: 'all' })]).toEqual(before.get(key));
      const visible = await again.read(key);
      expect(visible).toHaveLength(wanted.visible + 1);
      expect(visible.at(-1)?.content).toBe(`on with ${key}`);
    }
    await again.close();
    for (const wanted of expected.sessions) {
      const seen = await picoclawView(directory, wanted.key);
      expect(seen.messages.map(({ role }) => role)).toEqual([...wanted.roles, 'user']);
      expect(seen.summary).toBe(wanted.summary);
    }
  });

  it('keeps broken metadata aside as soon as it writes anew', async () => {
    const { directory, open } = await openCopy();
    const store = await open();
    await store.append(broken, [{ role: 'user', content: 'more' }]);
    await store.close();
    const aside = (await readdir(directory)).filter((name) => name.includes('.meta.json.broken-'));
    expect(aside).toHaveLength(1);
    expect(await readFile(join(directory, aside[0] ?? ''))).toEqual(
      await readFile(join(fixture, `${broken}.meta.json`)),
    );
  });

  it('leaves readable metadata for every session it found broken, once closed, and keeps the old aside', async () => {
    const { directory, open } = await openCopy();
    await (await open()).close();
    const metadata = JSON.parse(await readFile(join(directory, `${broken}.meta.json`), 'utf8'));
    expect(metadata).toMatchObject({ key: broken, summary: '', skip: 0, count: 1 });
    const names = await readdir(directory);
    expect(names.filter((name) => name.includes('.meta.json.broken-'))).toHaveLength(1);
    await (await open()).close();
    expect((await readdir(directory)).sort()).toEqual(names.sort());
  });

  it('shows the next message of a session whose skip lies beyond its end', async () => {
    const { open } = await openCopy();
    const store = await open();
    await store.append(overskipped, [{ role: 'user', content: 'visible' }]);
    expect((await store.read(overskipped)).map(({ content }) => content)).toEqual(['visible']);
    await store.close();
  });

  it.each([
    { first: expected.collide.existing, second: expected.collide.new, start: openCopy },
    { first: expected.collide.new, second: expected.collide.existing, start: openEmpty },
  ])('keeps $first and $second apart', async ({ first, second, start }) => {
    const { directory, open } = await start();
    const store = await open();
    await store.ensure(first);
    await store.ensure(second);
    await store.append(first, [{ role: 'user', content: 'of the first' }]);
    await store.append(second, [{ role: 'user', content: 'of the second' }]);
    await store.close();
    const again = await open();
    expect((await again.read(first)).at(-1)?.content).toBe('of the first');
    expect((await again.read(second)).map(({ content }) => content)).toEqual(['of the second']);
    await again.close();
    expect((await picoclawView(directory, first)).messages.at(-1)?.content).toBe('of the first');
  });

  it('keeps unknown fields through a rewrite', async () => {
    const { open, directory } = await openCopy();
    const store = await open();
    const [one] = await store.read(slack);
    await store.replace(slack, [...(one === undefined ? [] : [one]), { role: 'user', content: 'instead' }]);
    expect(await store.read(slack)).toMatchObject([
      { content: 'one', x_unknown: { kept: true } },
      { content: 'instead' },
    ]);
    await store.close();
    expect(await readFile(join(directory, `${slack}.jsonl`), 'utf8')).toContain('"x_unknown":{"kept":true}');
  });
});

async function openEmpty() {
  const directory = await tempFolder();
  return { directory, findings: [], open: () => createJsonlBackend({ directory }) };
}
