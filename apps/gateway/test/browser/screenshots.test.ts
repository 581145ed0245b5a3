import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryBackend, type ExportEntry, type Message, type SessionBackend } from '@x/session-store';
import { expect, test } from 'vitest';
import { addSession, places, useGateway, useStage } from './stage.js';

/** Pictures for the README are written on request only, so that an ordinary run leaves the tree as it was. */
const writesPictures = process.env.HOLDFAST_SCREENSHOTS === '1';
const pictures = join(import.meta.dirname, '../../../../docs/images');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const stage = useStage();
/** Nothing is asked of this model: the picture shows what is stored. */
const gateway = useGateway(fillHouse, {
  HOLDFAST_MODEL: 'llama3:8b',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
});

test.each([
  { name: 'chat-light', options: { colorScheme: 'light', viewport: { width: 1280, height: 800 } } },
  { name: 'chat-dark', options: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } } },
  { name: 'chat-phone', options: { colorScheme: 'light', viewport: { width: 390, height: 780 } } },
] as const)('the page as the README shows it: $name', async ({ name, options }) => {
  const page = await stage.open(`${gateway.url}/#/s/agent:main:web:trip`, {
    ...options,
    deviceScaleFactor: 2,
    locale: 'en-GB',
  });
  await places.answers(page).last().getByText('17:42').waitFor();
  await page.getByRole('button', { name: 'llama3:8b' }).waitFor();
  await page.locator('.session-link').first().waitFor({ state: 'attached' });
  await page.evaluate('document.activeElement.blur()');
  await page.waitForTimeout(300);
  const picture = await page.screenshot({ animations: 'disabled' });
  expect(picture.byteLength).toBeGreaterThan(20_000);
  if (!writesPictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
});

/** Sessions with the past they tell of: a store would date them now, an import keeps their times. */
async function fillHouse(backend: SessionBackend): Promise<void> {
  const house = createMemoryBackend();
  await furnish(house);
  const entries: ExportEntry[] = [];
  for await (const entry of house.export()) entries.push(entry);
  await backend.import(entries.map((entry) => dated(entry, entries)));
}

function dated(entry: ExportEntry, all: readonly ExportEntry[]): ExportEntry {
  if (entry.type === 'message') return entry;
  const { session } = entry;
  const times = all.flatMap((other) =>
    other.type === 'message' && other.key === session.key ? other.message.createdAt : [],
  );
  const [first = session.createdAt] = times;
  const last = times.at(-1) ?? first;
  return { type: 'session', session: { ...session, createdAt: first, updatedAt: last, activeAt: last } };
}

async function furnish(backend: SessionBackend): Promise<void> {
  const now = Date.now();
  const ago = (ms: number) => new Date(now - ms).toISOString();
  const others: readonly [key: string, title: string, channel: string, said: string, hoursAgo: number][] = [
    ['slack:channel:c1', 'Release checklist', 'slack', 'All green. I will post the notes at four.', 70],
    ['discord:channel:d1', 'Boardgame night', 'discord', 'Six players: Cascadia in two groups of three.', 52],
    [
      'web:notes',
      'Notes on the greenhouse',
      'web',
      'Tomatoes go in once the nights stay above ten degrees.',
      27,
    ],
    ['telegram:group:t2', 'Family group', 'telegram', 'Grandpa’s train is on time, platform 7.', 25],
    ['cli:default', 'Terminal', 'cli', 'The log has three warnings, all about disk space.', 6],
    ['feishu:direct:f1', 'Quarterly numbers', 'feishu', 'Revenue up four percent, costs flat.', 4],
    ['telegram:direct:t1', 'Mira', 'telegram', 'Noted: the dentist moved to Thursday, 9:30.', 2],
    ['slack:thread:s1', 'Why the build was slow', 'slack', 'The cache key included the date. Fixed.', 0.6],
  ];
  for (const [name, title, channel, said, hoursAgo] of others) {
    await addSession(backend, `agent:main:${name}`, { title, channel }, [
      { role: 'user', content: title, createdAt: ago(hoursAgo * hourMs + minuteMs) },
      { role: 'assistant', content: said, createdAt: ago(hoursAgo * hourMs) },
    ]);
  }
  await addSession(
    backend,
    'agent:main:web:trip',
    { title: 'A weekend in Ghent', channel: 'web' },
    trip(ago),
  );
}

function trip(ago: (ms: number) => string): Message[] {
  const modelName = 'llama3:8b';
  return [
    {
      role: 'user',
      content: 'Remember that Ada cannot climb many stairs.',
      createdAt: ago(26 * minuteMs),
    },
    {
      role: 'assistant',
      content: 'Noted, I will keep it in mind for every plan in this conversation.',
      createdAt: ago(26 * minuteMs),
      modelName,
    },
    {
      role: 'user',
      content: 'Plan us a slow Saturday in Ghent, and tell me when we have to leave Brussels.',
      createdAt: ago(3 * minuteMs),
    },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'recall', arguments: '{"about":"Ada"}' }],
      createdAt: ago(3 * minuteMs),
      modelName,
    },
    {
      role: 'tool',
      content: 'Ada cannot climb many stairs.',
      toolCallId: 'call_1',
      toolName: 'recall',
      createdAt: ago(3 * minuteMs),
    },
    {
      role: 'assistant',
      content: `Here is a day **without the belfry**: its lift stops short of the top, and the rest is stairs.

1. **10:24** train from Brussels-Central, arriving 11:02
2. **11:30** coffee on the Graslei, then a boat along the Leie
3. **14:00** the Ghent Altarpiece in St Bavo’s, which has a lift
4. **17:42** train home from Gent-Sint-Pieters

For your calendar:

\`\`\`ics
SUMMARY:Train to Ghent
DTSTART:20260620T102400
LOCATION:Brussels-Central
\`\`\``,
      createdAt: ago(2 * minuteMs),
      modelName,
    },
  ];
}
