import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../test/folders.js';
import { createMemoryStore, type Memory, type MemoryOwner, openSqliteFile } from '../index.js';

const ann: MemoryOwner = { agentId: 'main', subject: 'person:ann' };
const bo: MemoryOwner = { agentId: 'main', subject: 'person:bo' };
const ofAnn = { agentId: 'main', subjects: ['person:ann'] };

async function freshStore(path = ':memory:') {
  const file = await openSqliteFile({ file: path });
  onTestFinished(() => file.close());
  return createMemoryStore(file, () => new Date('2026-03-01T12:00:00.000Z'));
}

it('keeps, finds, changes and forgets', async () => {
  const store = await freshStore();
  const { memory } = await store.add(ann, '  drinks green tea  ', 'sk_1');
  expect(memory).toEqual({
    ...ann,
    id: memory.id,
    text: 'drinks green tea',
    sessionKey: 'sk_1',
    createdAt: '2026-03-01T12:00:00.000Z',
    updatedAt: '2026-03-01T12:00:00.000Z',
  });
  expect(await store.add(ann, 'drinks green tea')).toEqual({ memory, added: false });
  expect(await store.edit(memory.id, 'drinks black tea')).toMatchObject({
    id: memory.id,
    text: 'drinks black tea',
  });
  expect(await store.recall({ ...ofAnn, question: 'green' })).toEqual([]);
  expect(await store.recall({ ...ofAnn, question: 'BLACK?' })).toMatchObject([{ id: memory.id }]);
  expect(await store.forget(memory.id)).toMatchObject({ text: 'drinks black tea' });
  expect(await store.get(memory.id)).toBeUndefined();
  expect(await store.recall({ ...ofAnn, question: 'black' })).toEqual([]);
  const next = await store.add(ann, 'anything');
  expect(next.memory.id).toBeGreaterThan(memory.id);
});

it('never gives one person what is kept of another, nor to another agent', async () => {
  const store = await freshStore();
  const { memory } = await store.add(ann, 'the code word is heron');
  await store.add(bo, 'the code word is badger');
  await store.add({ agentId: 'other', subject: ann.subject }, 'the code word is otter');
  for (const question of ['code word', '', 'heron badger otter', 'is']) {
    const found = await store.recall({ ...ofAnn, question });
    expect(found.map(({ text }) => text)).toEqual(['the code word is heron']);
  }
  const bos = { agentId: 'main', subjects: [bo.subject] };
  await expect(store.forget(memory.id, bos)).rejects.toMatchObject({ code: 'MemoryNotFound' });
  expect(await store.get(memory.id)).toBeDefined();
  const both = { agentId: 'main', subjects: [ann.subject, 'sender:telegram:1'] };
  await store.add({ agentId: 'main', subject: 'sender:telegram:1' }, 'of before the link');
  expect(await store.recall(both)).toHaveLength(2);
});

it('puts first what holds most of the question, and finds words of any language', async () => {
  const store = await freshStore();
  for (const text of [
    'has a dog',
    'has a red car',
    '明日の会議は午後三時からです',
    'ชอบดื่มชา',
    'lives in Łódź',
    'Straße 7',
  ])
    await store.add(ann, text);
  const first = async (question: string) => (await store.recall({ ...ofAnn, question }))[0]?.text;
  expect(await first('which car has she?')).toBe('has a red car');
  expect(await first('会議')).toBe('明日の会議は午後三時からです');
  expect(await first('午後三時の会議')).toBe('明日の会議は午後三時からです');
  expect(await first('ชา')).toBe('ชอบดื่มชา');
  expect(await first('łódź')).toBe('lives in Łódź');
  expect(await first('straße')).toBe('Straße 7');
});

it('finds by any question what a pass over all finds, whatever was kept, changed and forgotten', async () => {
  const text = fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        'B',
        'İ',
        'Σ',
        'ς',
        'ß',
        '日',
        '本',
        '👩',
        '"',
        '*',
        ' ',
        '-',
        '\u0000',
        'tea',
      ),
      {
        maxLength: 7,
      },
    )
    .map((letters) => letters.join(''));
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), text }),
    fc.record({ do: fc.constant('edit' as const), at: fc.nat(5), text }),
    fc.record({ do: fc.constant('forget' as const), at: fc.nat(5) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), text, async (program, question) => {
      const file = await openSqliteFile({ file: ':memory:' });
      const store = createMemoryStore(file);
      let kept: Memory[] = [];
      for (const each of program) {
        const chosen = 'at' in each ? kept[each.at % Math.max(1, kept.length)] : undefined;
        try {
          if (each.do === 'add') {
            const { memory, added } = await store.add(ann, each.text);
            if (added) kept.push(memory);
          } else if (chosen !== undefined && each.do === 'edit') {
            const changed = await store.edit(chosen.id, each.text);
            kept = kept.map((memory) => (memory.id === changed.id ? changed : memory));
          } else if (chosen !== undefined) {
            await store.forget(chosen.id);
            kept = kept.filter(({ id }) => id !== chosen.id);
          }
        } catch (error) {
          expect(error).toMatchObject({ code: 'MemoryEmpty' });
        }
      }
      const words = new Intl.Segmenter(undefined, { granularity: 'word' });
      const fold = (raw: string) => raw.toLowerCase().replaceAll('\u0000', '\ufffd');
      const asked = [...words.segment(fold(question).trim())].filter(({ isWordLike }) => isWordLike === true);
      const needles = asked.length > 0 ? asked.map(({ segment }) => segment) : [fold(question).trim()];
      const expected = kept.filter((memory) => needles.some((needle) => fold(memory.text).includes(needle)));
      const found = await store.recall({ ...ofAnn, question, limit: 100 });
      expect(found.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
      await file.close();
    }),
  );
});

it('refuses what is empty or too long, and more than there may be, and keeps nothing of it', async () => {
  const store = await freshStore();
  await expect(store.add(ann, ' \n ')).rejects.toMatchObject({ code: 'MemoryEmpty' });
  await expect(store.add(ann, 'x'.repeat(4001))).rejects.toMatchObject({
    code: 'MemoryTooLong',
    message: expect.stringContaining('4000'),
  });
  await expect(store.edit(99, 'x')).rejects.toMatchObject({ code: 'MemoryNotFound' });
  await Promise.all(Array.from({ length: 1000 }, (_, index) => store.add(ann, `fact ${index}`)));
  await expect(store.add(ann, 'one more')).rejects.toMatchObject({ code: 'MemoriesFull' });
  expect(await store.add(ann, 'fact 7')).toMatchObject({ added: false });
  await store.add(bo, 'one more');
  expect(await store.list({ subject: ann.subject, limit: 2000 })).toHaveLength(1000);
});

it('lists the newest first, by pages, by whose they are and by words', async () => {
  const store = await freshStore();
  for (let number = 1; number <= 5; number += 1)
    await store.add(number % 2 === 0 ? bo : ann, `Fact ${number}`);
  const page = await store.list({ limit: 2 });
  expect(page.map(({ text }) => text)).toEqual(['Fact 5', 'Fact 4']);
  const next = await store.list({ limit: 2, before: page.at(-1)?.id ?? 0 });
  expect(next.map(({ text }) => text)).toEqual(['Fact 3', 'Fact 2']);
  expect(await store.list({ subject: bo.subject })).toHaveLength(2);
  expect(await store.list({ agentId: 'nobody' })).toEqual([]);
  expect((await store.list({ text: 'FACT 3' })).map(({ text }) => text)).toEqual(['Fact 3']);
});

it('leaves nothing of a forgotten text in the search, and stands a check of the engine', async () => {
  const path = join(await tempFolder(), 'memories.db');
  const store = await freshStore(path);
  const kept = await Promise.all(
    ['parsnip soup', 'parsnip bread', 'onions'].map((text) => store.add(ann, text)),
  );
  for (const { memory } of kept.slice(0, 2)) await store.forget(memory.id);
  const other = new Database(path);
  other.exec("INSERT INTO agent_memory_search(agent_memory_search, rank) VALUES ('integrity-check', 1)");
  const match = other
    .prepare('SELECT rowid FROM agent_memory_search WHERE agent_memory_search MATCH ?')
    .pluck();
  expect(match.all('pars')).toEqual([]);
  expect(match.all('onions')).toHaveLength(1);
  other.close();
});

it('is shared by several files open on the same database, and only read where it is to be read', async () => {
  const path = join(await tempFolder(), 'memories.db');
  const [one, other] = [await freshStore(path), await freshStore(path)];
  await Promise.all([one.add(ann, 'from one'), other.add(ann, 'from the other'), other.add(ann, 'from one')]);
  expect(await one.list()).toHaveLength(2);
  const reading = await openSqliteFile({ file: path, readOnly: true });
  onTestFinished(() => reading.close());
  const reader = createMemoryStore(reading);
  expect(await reader.recall({ ...ofAnn, question: 'other' })).toHaveLength(1);
  await expect(reader.add(ann, 'not this')).rejects.toMatchObject({ code: 'Unsupported' });
});
