import { mainSessionKey } from '@x/session-scope';
import type * as FastCheck from 'fast-check';
import type { Cut, ListQuery, ReadRange, ResetOptions } from '../backend.js';
import type { Message } from '../message.js';
import type { SpokenFacts } from './reference-model.js';

/** One thing that is asked of a store and of the model. */
export type Command =
  | { readonly do: 'append'; readonly key: string; readonly messages: readonly Message[] }
  /** The first `keep` of the active messages, then the others. */
  | {
      readonly do: 'replace';
      readonly key: string;
      readonly keep: number;
      readonly messages: readonly Message[];
    }
  | { readonly do: 'read'; readonly key: string; readonly range: ReadRange }
  | { readonly do: 'ensure'; readonly key: string; readonly facts: SpokenFacts }
  | { readonly do: 'promote'; readonly key: string; readonly aliases: readonly string[] }
  | { readonly do: 'resolve'; readonly key: string }
  | { readonly do: 'setSummary' | 'rename'; readonly key: string; readonly text: string }
  | { readonly do: 'truncate'; readonly key: string; readonly cut: Cut }
  | { readonly do: 'reset'; readonly key: string; readonly options: ResetOptions }
  | {
      readonly do: (typeof changes)[number];
      readonly key: string;
    }
  | { readonly do: 'list'; readonly query: ListQuery }
  | { readonly do: 'reopen' };

const changes = ['compact', 'clear', 'archive', 'unarchive', 'delete', 'restore', 'purge'] as const;

/** Programs over few sessions and names, so that they meet. */
export function programs({
  array,
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
  tuple,
}: typeof FastCheck): FastCheck.Arbitrary<readonly Command[]> {
  const keys = ['a', 'b', 'C', 'agent:main:direct:ann', 'agent:main:main', mainSessionKey('main')];
  // Two sessions are spoken to more than others, since much has to happen to one before it shows anything.
  const key = constantFrom('a', 'a', 'a', 'a', 'b', 'b', ...keys);
  const name = constantFrom(...keys, 'c', 'A', 'one', 'Two', 'Agent:main:direct:ANN');
  const text = constantFrom('', 'one', 'other');
  const message = oneof(
    record({ role: constantFrom<Message['role'][]>('user', 'assistant', 'system', 'tool'), content: text }),
    record({
      role: constant<'user'>('user'),
      content: text,
      id: constantFrom('m1', 'm2', 'm3'),
    }),
    constant<Message>({ role: 'user', content: 'tick', meta: { origin: 'schedule' } }),
    constant<Message>({ role: 'system', content: 'you are', meta: { origin: 'agent-prompt' } }),
  );
  const messages = array(message, { minLength: 1, maxLength: 4 });
  const seq = nat({ max: 12 });
  const maybe = <T extends object>(fields: { [name in keyof T]: FastCheck.Arbitrary<T[name]> }) =>
    record(fields, { requiredKeys: [] });

  const command: FastCheck.Arbitrary<Command> = oneof(
    { weight: 8, arbitrary: record({ do: constant('append' as const), key, messages }) },
    {
      weight: 4,
      arbitrary: record({
        do: constant('ensure' as const),
        key,
        facts: maybe<{ [name in keyof SpokenFacts]-?: NonNullable<SpokenFacts[name]> }>({
          aliases: array(name, { maxLength: 3 }),
          title: constantFrom('one', 'other'),
          attributes: constantFrom({ pinned: true }, { pinned: null, colour: 'red' }),
        }),
      }),
    },
    {
      weight: 2,
      arbitrary: record({ do: constant('replace' as const), key, keep: nat({ max: 5 }), messages }),
    },
    {
      weight: 2,
      arbitrary: record({
        do: constant('read' as const),
        key,
        range: maybe<Required<ReadRange>>({
          segment: constantFrom('active', 'all'),
          after: seq,
          before: seq,
          limit: nat({ max: 4 }),
          order: constantFrom('asc', 'desc'),
        }),
      }),
    },
    {
      weight: 2,
      arbitrary: record({
        do: constant('promote' as const),
        key,
        aliases: array(name, { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: record({ do: constant('resolve' as const), key: name }) },
    {
      weight: 2,
      arbitrary: record({ do: constantFrom('setSummary' as const, 'rename' as const), key, text }),
    },
    {
      weight: 3,
      arbitrary: record({
        do: constant('truncate' as const),
        key,
        cut: oneof(
          record({ keepLast: nat({ max: 4 }) }),
          record({ throughSeq: seq }),
          record({ keepLast: nat({ max: 4 }), summary: text }),
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: record({
        do: constant('reset' as const),
        key,
        options: maybe<Required<ResetOptions>>({
          keepLast: nat({ max: 3 }),
          reason: constantFrom('idle', 'asked'),
          summary: text,
        }),
      }),
    },
    {
      weight: 7,
      arbitrary: record({
        do: constantFrom(...changes),
        key,
      }),
    },
    {
      weight: 1,
      arbitrary: record({
        do: constant('list' as const),
        query: maybe<Required<Pick<ListQuery, 'archived' | 'deleted' | 'text' | 'limit'>>>({
          archived: constantFrom('exclude', 'include', 'only'),
          deleted: boolean(),
          text: constantFrom('', 'ON', 'other'),
          limit: constantFrom(1, 2, 50),
        }),
      }),
    },
    { weight: 1, arbitrary: constant<Command>({ do: 'reopen' }) },
  );
  const beginning = constantFrom<readonly Command[]>(
    [],
    [{ do: 'ensure', key: 'a', facts: {} }],
    ['a', 'b', 'agent:main:direct:ann'].map((each) => ({ do: 'ensure', key: each, facts: {} })),
    keys.map((each) => ({ do: 'ensure', key: each, facts: {} })),
  );
  return tuple(beginning, array(command, { maxLength: 40, size: 'max' })).map((parts) => parts.flat());
}
