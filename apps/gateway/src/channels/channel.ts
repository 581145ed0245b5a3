import type { InboundContext } from '@x/session-scope';
import { RequestError } from '../request-error.js';

/**
 * One account on one platform. Whoever adds a platform writes this interface, and `checkChannel` of
 * test/channels/conformance.ts says whether it keeps it; docs/channels.md is the guide.
 */
export interface Channel {
  /** The operator's name for it: in the configuration, in `/channels/{name}`, in lists. */
  readonly name: string;
  /** `telegram`, `slack` …: the channel of the inbound context. */
  readonly kind: string;
  readonly traits: ChannelTraits;
  /**
   * Begins to take messages and gives each to `receive`, in the order of the platform. Only once that has resolved may
   * the platform be told that a message was taken; where it rejects, the message must come again. Rejects where it
   * cannot connect, and is called again a little later; a connection that breaks afterwards is made anew inside.
   */
  start(receive: Receive): Promise<void>;
  /** Says something and gives the platform's id of it. Throws `ChannelError`. */
  send(message: Outgoing): Promise<string>;
  /** Puts other words in the place of what was sent. Throws `ChannelError`; where `traits.edits` is false, always. */
  edit(address: ReplyAddress, id: string, text: string): Promise<void>;
  /** Shows for a few seconds that an answer is on its way. What fails is of no account. */
  showTyping(address: ReplyAddress): Promise<void>;
  /** The bytes of what `IncomingMedia.reference` names. Throws `ChannelError`. */
  fetchMedia(reference: string): Promise<FetchedMedia>;
  /** Answers what the platform sends to `/channels/{name}`. Throws `RequestError`. */
  handleRequest(request: Request): Promise<Response>;
  /** Takes no more messages. What was given to `receive` is waited for. */
  stop(): Promise<void>;
}

export type Receive = (message: ChannelMessage) => Promise<void>;

/** What the rest of the gateway must know of a platform. */
export interface ChannelTraits {
  /** The longest text of one message, in UTF-16 units. */
  readonly textLimit: number;
  /** Messages can be edited: an answer may be shown while it is made. */
  readonly edits: boolean;
  /** The least time between two edits of a message, in milliseconds. */
  readonly editIntervalMs: number;
  /** `send` with a key that was seen before sends nothing: what may have arrived can safely be sent again. */
  readonly idempotent: boolean;
  /** How long a typing indication lasts, in milliseconds; 0 where there is none. */
  readonly typingMs: number;
}

/** A message of a person, or of a bot, as a platform brings it. */
export interface ChannelMessage {
  /** The same for the same message, however often and by whatever way it comes; unique within the channel. */
  readonly id: string;
  readonly context: InboundContext;
  readonly text: string;
  readonly media: readonly IncomingMedia[];
  readonly sender: { readonly id: string; readonly name: string; readonly isBot: boolean };
  /** Where an answer goes, in the platform's own ids. */
  readonly address: ReplyAddress;
}

export interface ReplyAddress {
  readonly chat: string;
  readonly thread?: string;
  /** The message that is answered. */
  readonly replyTo?: string;
}

export interface IncomingMedia {
  readonly kind: 'image' | 'audio' | 'video' | 'file';
  /** What `fetchMedia` takes. Never an address that holds a secret: it is stored. */
  readonly reference: string;
  readonly name?: string;
  readonly mediaType?: string;
  readonly bytes?: number;
}

export interface FetchedMedia {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface Outgoing {
  readonly address: ReplyAddress;
  /** Markdown, at most `traits.textLimit` long. Empty where only media is sent. */
  readonly text: string;
  readonly media: readonly OutgoingMedia[];
  /** The same at every try of the same message. At most 25 characters of `[0-9a-z]`. */
  readonly key: string;
}

export interface OutgoingMedia {
  /** A `data:` or `https:` address. */
  readonly url: string;
  readonly name: string;
}

/**
 * Why something could not be said. `rate_limited`: not said, and may be after `retryAfterMs` · `unreachable`: not said
 * for sure, try again · `unknown`: it may have been said · `refused`: never will be · `gone`: the message to be edited
 * is not there any more.
 */
export type ChannelErrorCode = 'rate_limited' | 'unreachable' | 'unknown' | 'refused' | 'gone';

/** A channel could not do what it was asked for. The message never holds a secret. */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode;
  /** With `rate_limited`. */
  readonly retryAfterMs: number;

  constructor(
    code: ChannelErrorCode,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.name = 'ChannelError';
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** What a platform without edits, indications, media or requests answers; a channel spreads it and says the rest. */
export const withoutExtras: Pick<Channel, 'edit' | 'showTyping' | 'fetchMedia' | 'handleRequest'> = {
  edit: () => Promise.reject(new ChannelError('refused', 'This channel has no edits.')),
  showTyping: () => Promise.resolve(),
  fetchMedia: () => Promise.reject(new ChannelError('refused', 'This channel brings no media.')),
  handleRequest: () =>
    Promise.reject(new RequestError(404, 'not_found', 'There is nothing at this address.')),
};
