import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BoundPlace } from './binding.js';
import { openBindingStore } from './binding-store.js';
import { placeId, placesOf } from './bound-place.js';

const HOUR = 3_600_000;
let folder: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-bindings-'));
  now = Date.parse('2026-06-01T10:00:00Z');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'bindings.json');
const open = () => openBindingStore(file(), () => new Date(now));
const forever = { idleMs: undefined, maxAgeMs: undefined };
const place = (topic: string): BoundPlace => ({
  channel: 'slack',
  account: 'default',
  chat: 'channel:c1',
  topic,
});

test('a binding is followed, replaced, listed and released, over a restart', () => {
  const store = open();
  expect(store.follow([place('1')])).toBeUndefined();
  store.bind(place('1'), { agent: 'support' }, forever);
  store.bind(place('2'), { session: 'notes' }, forever);
  expect(open().follow([place('9'), place('1')])?.target).toEqual({ agent: 'support' });
  store.bind(place('1'), { session: 'other' }, forever);
  const again = open();
  expect(again.list().map(({ target }) => target)).toEqual([{ session: 'notes' }, { session: 'other' }]);
  expect(again.release(placeId(place('1')))).toBe(true);
  expect(again.release(placeId(place('1')))).toBe(false);
  expect(open().list()).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['bindings.json']);
});

test('it is released after its silence, which every message puts off', () => {
  const store = open();
  store.bind(place('1'), { agent: 'a' }, { idleMs: 2 * HOUR, maxAgeMs: undefined });
  for (let hour = 0; hour < 5; hour += 1) {
    now += HOUR;
    expect(store.follow([place('1')])).toBeDefined();
  }
  now += 1.99 * HOUR;
  expect(open().list()).toHaveLength(1);
  now += 0.01 * HOUR;
  expect([open().list(), open().follow([place('1')]), store.list()]).toEqual([[], undefined, []]);
});

test('it is released at its age, however busy it is, and leaves the file with the next change', () => {
  const store = open();
  store.bind(place('1'), { agent: 'a' }, { idleMs: 2 * HOUR, maxAgeMs: 3 * HOUR });
  for (let hour = 1; hour < 3; hour += 1) {
    now += HOUR;
    expect(store.follow([place('1')])).toBeDefined();
  }
  now += HOUR;
  expect(store.follow([place('1')])).toBeUndefined();
  expect(store.release(placeId(place('1')))).toBe(false);
  store.bind(place('2'), { agent: 'a' }, forever);
  expect(JSON.parse(readFileSync(file(), 'utf8')).bindings).toHaveLength(1);
});

test('a file that cannot be read is an error, and is left as it is', () => {
  writeFileSync(file(), '{"version": 1, "bindings": [{"id"');
  expect(open).toThrow('holds no bindings that can be read');
  expect(readFileSync(file(), 'utf8')).toContain('"id"');
});

test('the place is the thread, and before it the person where each has a conversation of their own', () => {
  const context = { channel: 'Slack', chatType: 'channel', chatId: 'C1', topicId: '17.2', senderId: 'U1' };
  const places = (dimensions: readonly ('chat' | 'sender')[]) =>
    placesOf(context, { dimensions, identityLinks: {} });
  const thread = { channel: 'slack', account: 'default', chat: 'channel:c1', topic: 'topic:17.2' };
  expect(places(['chat'])).toEqual([thread]);
  expect(places(['chat', 'sender'])).toEqual([{ ...thread, sender: 'u1' }, thread]);
  expect(placeId(thread)).not.toBe(placeId({ ...thread, sender: 'u1' }));
});
