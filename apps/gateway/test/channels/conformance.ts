import { expect, onTestFinished, test } from 'vitest';
import {
  type Channel,
  ChannelError,
  type ChannelMessage,
  type Outgoing,
} from '../../src/channels/channel.js';

/** A channel with the platform behind it, played by the test. */
export interface ChannelStage {
  readonly channel: Channel;
  /** What the platform knows as said, in order. */
  heard(): readonly { readonly text: string; readonly thread?: string | undefined }[];
  /** Somebody says something, in private unless a group is asked for; again with the same `id` it is the same message. */
  say(words: string, more?: Said): Promise<void>;
  /** The bot's own message comes back to it. */
  echo(words: string): Promise<void>;
  /** The platform's next answer to something said is a limit of one second. */
  limit(): void;
  /** The platform takes what is said next, and breaks the connection before it answers. */
  cut(): void;
}

export interface Said {
  readonly id?: number;
  readonly thread?: boolean;
  readonly group?: boolean;
  readonly mention?: boolean;
}

const patient = { timeout: 20_000 };

/** What every channel promises, shown one by one. */
export function checkChannel(name: string, open: () => Promise<ChannelStage>): void {
  async function stage() {
    const opened = await open();
    const received: ChannelMessage[] = [];
    let refusals = 0;
    onTestFinished(() => opened.channel.stop());
    await opened.channel.start(async (message) => {
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('not now');
      }
      received.push(message);
    });
    const texts = () => received.map(({ text }) => text);
    const refuseOnce = () => {
      refusals = 1;
    };
    return { ...opened, received, texts, refuseOnce };
  }
  async function failureOf(call: Promise<unknown>): Promise<ChannelError> {
    const error = await call.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(ChannelError);
    return error as ChannelError;
  }
  const said = (message: ChannelMessage | undefined, text: string, key: string): Outgoing => ({
    address: message?.address ?? { chat: '' },
    text,
    media: [],
    key,
  });

  test(`${name}: messages come in order, with the ids that make them the same again`, async () => {
    const { say, received, texts } = await stage();
    await say('one', { id: 1 });
    await say('two', { id: 2 });
    await say('one', { id: 1 });
    await expect.poll(texts, patient).toEqual(['one', 'two', 'one']);
    const [one, two, again] = received;
    expect(again?.id).toBe(one?.id);
    expect(two?.id).not.toBe(one?.id);
    expect(one?.context).toMatchObject({ chatType: 'direct', chatId: expect.stringMatching(/./) });
    expect(one?.context.senderId).toBe(one?.sender.id);
    expect(one?.sender.isBot).toBe(false);
  });

  test(`${name}: what was not stored comes again`, async () => {
    const { say, refuseOnce, texts } = await stage();
    refuseOnce();
    await say('kept by the platform');
    await expect.poll(texts, patient).toEqual(['kept by the platform']);
  });

  test(`${name}: the bot does not hear itself`, async () => {
    const { say, echo, texts } = await stage();
    await echo('my own words');
    await say('a person');
    await expect.poll(texts, patient).toEqual(['a person']);
  });

  test(`${name}: in a group it knows whether it was mentioned, and answers in the thread`, async () => {
    const { say, received, channel, heard } = await stage();
    await say('to all', { group: true });
    await say('to you', { group: true, mention: true });
    await expect.poll(() => received.length, patient).toBe(2);
    expect(received.map(({ context }) => context.mentioned)).toEqual([false, true]);
    expect(received[0]?.context.chatType).not.toBe('direct');
    await say('in a thread', { group: true, mention: true, thread: true });
    await expect.poll(() => received.length, patient).toBe(3);
    const message = received[2];
    expect(message?.context.topicId).toBeDefined();
    expect(message?.context.chatId).toBe(received[0]?.context.chatId);
    await channel.send(said(message, 'here', 'k1'));
    expect(heard().at(-1)).toMatchObject({ text: 'here', thread: message?.address.thread });
  });

  test(`${name}: it speaks, and edits where it says that it can`, async () => {
    const { say, received, channel, heard } = await stage();
    await say('hello');
    await expect.poll(() => received.length, patient).toBe(1);
    const id = await channel.send(said(received[0], 'first', 'k1'));
    expect(id).not.toBe('');
    expect(heard().map(({ text }) => text)).toEqual(['first']);
    const address = received[0]?.address ?? { chat: '' };
    if (channel.traits.edits) {
      await channel.edit(address, id, 'second');
      expect(heard().map(({ text }) => text)).toEqual(['second']);
      await channel.edit(address, id, 'second');
    } else await failureOf(channel.edit(address, id, 'second'));
    await channel.showTyping(address);
  });

  test(`${name}: a limit says how long, and a broken connection says what is known`, async () => {
    const { say, received, channel, heard, limit, cut } = await stage();
    await say('hello');
    await expect.poll(() => received.length, patient).toBe(1);
    limit();
    const limited = await failureOf(channel.send(said(received[0], 'limited', 'k1')));
    expect(limited.code).toBe('rate_limited');
    expect(limited.retryAfterMs).toBeGreaterThanOrEqual(1000);
    expect(limited.retryAfterMs).toBeLessThan(2000);
    cut();
    const lost = await failureOf(channel.send(said(received[0], 'maybe', 'k2')));
    expect(lost.code).toBe('unknown');
    if (channel.traits.idempotent) {
      await channel.send(said(received[0], 'maybe', 'k2'));
      expect(heard().map(({ text }) => text)).toEqual(['maybe']);
    }
  });
}
