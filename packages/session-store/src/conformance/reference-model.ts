import { isMainAlias, mainSessionKey, normaliseText } from '@x/session-scope';
import type { Cut, ListQuery, Promotion, ReadRange, RefusedAlias, ResetOptions } from '../backend.js';
import type { JsonValue, Message } from '../message.js';
import {
  active,
  binOf,
  hear,
  isPrompt,
  isSaidAlready,
  type ModelMeta,
  metaOf,
  newest,
  type Room,
  visible,
} from './reference-room.js';

/*
 * What the contract says, once more, in plain arrays and as slowly as one likes: written from the words of the
 * contract and sharing no code with what real backends are made of, so that both would have to be wrong alike.
 * The one agent is `main`.
 */

export type SpokenFacts = {
  readonly aliases?: readonly string[];
  readonly title?: string;
  readonly attributes?: { readonly [name: string]: JsonValue };
};

/** What the real store refused with; the model refuses with the code alone. */
export class Refusal extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

const home = mainSessionKey('main');

/** `idOf` gives the id of a new message that comes without one, by its place in the call. */
export function createReferenceModel(now: () => string) {
  let rooms: Room[] = [];

  const any = (key: string) => rooms.find((room) => room.key === key);
  const live = (key: string) => rooms.find((room) => room.key === key && room.deletedAt === undefined);
  const ownerOf = (alias: string) => rooms.find(({ aliases }) => aliases.includes(alias))?.key;

  function writable(key: string): Room {
    const room = live(key);
    if (room === undefined) throw new Refusal('SessionNotFound');
    return room;
  }

  function touch(room: Room): ModelMeta {
    room.updatedAt = now();
    return metaOf(room);
  }

  return {
    append(key: string, messages: readonly Message[], idOf: (index: number) => string) {
      const room = writable(key);
      return messages.map((message, index) => {
        const known = room.lines.find(({ id }) => id === message.id);
        if (known !== undefined) return { id: known.id, seq: known.seq, appended: false };
        const { id, seq } = hear(room, message, message.id ?? idOf(index), now());
        return { id, seq, appended: true };
      });
    },

    read(key: string, { segment, after = 0, before = Infinity, limit = Infinity, order }: ReadRange) {
      const room = live(key);
      if (room === undefined) return [];
      const lines = (segment === 'all' ? visible(room) : active(room)).filter(
        ({ seq }) => seq > after && seq < before,
      );
      return (order === 'desc' ? lines.reverse() : lines).slice(0, limit);
    },

    meta(key: string): ModelMeta | undefined {
      const room = live(key);
      return room && metaOf(room);
    },

    ensure(key: string, facts: SpokenFacts) {
      const old = any(key);
      const names = [...new Set((facts.aliases ?? []).map(normaliseText))].filter(
        (alias) => alias !== '' && alias !== key && !(live(key)?.aliases.includes(alias) ?? false),
      );
      const refused: RefusedAlias[] = [];
      const mine: string[] = [];
      for (const alias of names) {
        const owner = live(alias)?.key ?? ownerOf(alias);
        if (isMainAlias(alias) && key !== home) refused.push({ alias, owner, reason: 'main' });
        else if (owner !== undefined && owner !== key) refused.push({ alias, owner, reason: 'taken' });
        else mine.push(alias);
      }
      let room = live(key);
      const created = room === undefined;
      if (room === undefined) {
        room = {
          key,
          aliases: old?.aliases ?? [],
          summary: '',
          lines: old?.lines ?? [],
          lastSeq: old?.lastSeq ?? 0,
          cutoff: old?.lastSeq ?? 0,
          userTurns: 0,
          promptInjections: 0,
          segments: [],
          attributes: {},
          createdAt: now(),
          updatedAt: now(),
          activeAt: now(),
          bin: old && binOf(old, now()),
        };
        rooms = [...rooms.filter((other) => other !== old), room];
      }
      const before = JSON.stringify(room);
      room.title ??= facts.title;
      room.aliases.push(...mine.filter((alias) => !room.aliases.includes(alias)));
      for (const [name, value] of Object.entries(facts.attributes ?? {})) {
        if (value === null) delete room.attributes[name];
        else room.attributes[name] = value;
      }
      if (JSON.stringify(room) !== before) room.updatedAt = now();
      return { meta: metaOf(room), created, refused };
    },

    resolve(candidate: string): string | undefined {
      const folded = normaliseText(candidate);
      if (isMainAlias(folded) && live(home) !== undefined) return home;
      const owner = ownerOf(folded);
      return (live(candidate) ?? (owner === undefined ? undefined : live(owner)) ?? live(folded))?.key;
    },

    promote(key: string, aliases: readonly string[]): Promotion | undefined {
      const room = writable(key);
      if (room.lastSeq > 0 || room.summary !== '') return undefined;
      for (const alias of aliases) {
        const source = alias === key ? undefined : (any(alias) ?? any(normaliseText(alias)));
        if (source === undefined || source === room || source.deletedAt !== undefined) continue;
        const messages = visible(source).length;
        if (messages === 0 && source.summary === '') continue;
        const isMain = isMainAlias(source.key) || source.key === home;
        if (isMain && !(isMainAlias(source.key) && key === home)) continue;
        const names = [normaliseText(source.key), ...source.aliases].filter(
          (name) => name !== key && !isMainAlias(name) && [undefined, source.key].includes(ownerOf(name)),
        );
        const { title, aliases: own, attributes } = room;
        rooms = rooms.filter((other) => other !== source && other !== room);
        rooms.push({
          ...source,
          key,
          title: title ?? source.title,
          aliases: [...new Set([...own, ...names])],
          attributes: { ...source.attributes, ...attributes },
          updatedAt: now(),
        });
        return { from: source.key, messages };
      }
      return undefined;
    },

    setSummary(key: string, summary: string) {
      const room = writable(key);
      if (room.summary === summary) return metaOf(room);
      room.summary = summary;
      return touch(room);
    },

    replace(key: string, messages: readonly Message[], idOf: (index: number) => string) {
      const room = writable(key);
      const current = active(room);
      const unlike = messages.findIndex((message, index) => !isSaidAlready(message, current[index]));
      const kept = current.slice(0, unlike === -1 ? messages.length : unlike);
      const dropped = current.slice(kept.length);
      room.lines = room.lines.filter((line) => !dropped.includes(line));
      room.userTurns = Math.max(0, room.userTurns - dropped.filter(({ role }) => role === 'user').length);
      const prompts = dropped.filter((line) => isPrompt(line) && line !== current[0]);
      room.promptInjections = Math.max(0, room.promptInjections - prompts.length);
      if (dropped.length > 0) room.updatedAt = now();
      const heard = messages.slice(kept.length).map((message, index) => {
        const free = message.id !== undefined && !room.lines.some(({ id }) => id === message.id);
        return hear(room, message, free ? (message.id ?? '') : idOf(kept.length + index), now());
      });
      return [
        ...kept.map(({ id, seq }) => ({ id, seq, appended: false })),
        ...heard.map(({ id, seq }) => ({ id, seq, appended: true })),
      ];
    },

    truncate(key: string, cut: Cut) {
      const room = writable(key);
      const current = active(room);
      const kept =
        'keepLast' in cut ? newest(room, cut.keepLast) : current.filter(({ seq }) => seq > cut.throughSeq);
      const summary = cut.summary ?? room.summary;
      if (kept.length === current.length && summary === room.summary) return metaOf(room);
      if (kept.length < current.length) room.cutoff = kept[0] === undefined ? room.lastSeq : kept[0].seq - 1;
      room.summary = summary;
      return touch(room);
    },

    reset(key: string, { keepLast = 0, reason, summary = '' }: ResetOptions) {
      const room = writable(key);
      const kept = newest(room, keepLast);
      if (active(room).length === 0 && room.summary === '' && room.userTurns === 0 && summary === '')
        return metaOf(room);
      room.segments = [
        ...room.segments,
        {
          lastSeq: room.lastSeq,
          endedAt: now(),
          ...(reason === undefined ? {} : { reason }),
          ...(room.summary === '' ? {} : { summary: room.summary }),
        },
      ];
      room.cutoff = kept[0] === undefined ? room.lastSeq : kept[0].seq - 1;
      room.segmentStartedAt = kept.length === 0 ? undefined : now();
      room.summary = summary;
      room.userTurns = 0;
      room.promptInjections = 0;
      return touch(room);
    },

    compact(key: string) {
      const room = writable(key);
      const kept = active(room);
      const removed = room.lines.length - kept.length;
      if (removed === 0) return { removed };
      room.lines = kept;
      room.bin = undefined;
      touch(room);
      return { removed };
    },

    clear(key: string) {
      const room = writable(key);
      Object.assign(room, { lines: [], segments: [], bin: undefined, summary: '', cutoff: 0, userTurns: 0 });
      room.promptInjections = 0;
      Object.assign(room, { interactionAt: undefined, segmentStartedAt: undefined });
      return touch(room);
    },

    /** The keys alone. */
    list({
      deleted = false,
      archived = deleted ? 'include' : 'exclude',
      text = '',
    }: ListQuery): readonly string[] {
      return rooms
        .filter((room) =>
          deleted ? room.deletedAt !== undefined || room.bin !== undefined : room.deletedAt === undefined,
        )
        .filter(
          ({ archivedAt }) => archived === 'include' || (archived === 'only') === (archivedAt !== undefined),
        )
        .filter(({ title = '' }) => title.toLowerCase().includes(text.toLowerCase()))
        .sort((one, other) =>
          one.activeAt === other.activeAt
            ? one.key < other.key
              ? -1
              : 1
            : one.activeAt > other.activeAt
              ? -1
              : 1,
        )
        .map(({ key }) => key);
    },

    rename(key: string, title: string) {
      const room = writable(key);
      if ((room.title ?? '') === title) return metaOf(room);
      room.title = title === '' ? undefined : title;
      return touch(room);
    },

    archive(key: string) {
      const room = writable(key);
      if (room.archivedAt !== undefined) return metaOf(room);
      room.archivedAt = now();
      return touch(room);
    },

    unarchive(key: string) {
      const room = writable(key);
      if (room.archivedAt === undefined) return metaOf(room);
      room.archivedAt = undefined;
      return touch(room);
    },

    delete(key: string) {
      const room = writable(key);
      room.deletedAt = now();
      touch(room);
    },

    restore(key: string) {
      const room = any(key);
      if (room === undefined) throw new Refusal('SessionNotFound');
      if (room.deletedAt !== undefined) {
        room.deletedAt = undefined;
        return touch(room);
      }
      if (room.bin === undefined) return metaOf(room);
      room.title ??= room.bin.title;
      room.segments = [...room.bin.segments, ...room.segments];
      room.attributes = { ...room.bin.attributes, ...room.attributes };
      room.bin = undefined;
      return touch(room);
    },

    purge(key: string) {
      const room = any(key);
      if (room?.deletedAt !== undefined) {
        rooms = rooms.filter((other) => other !== room);
      } else if (room?.bin !== undefined) {
        room.lines = visible(room);
        room.bin = undefined;
        touch(room);
      } else {
        throw new Refusal('SessionNotFound');
      }
    },

    /** Every session by key with all its lines, deleted and binned ones too. */
    everything() {
      return [...rooms]
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .map((room) => ({ session: metaOf(room), lines: room.lines }));
    },
  };
}
