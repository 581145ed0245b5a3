import { type Channel, ChannelError, type IncomingMedia } from '../channels/channel.js';
import type { InboxMessage } from './inbox-message.js';

/** Larger pictures are named, not shown: they stay in the history for good, and in every prompt. */
const MAX_IMAGE_BYTES = 4 * 1024 * 1024;

/**
 * A message as the model is given it: pictures as `data:` addresses, everything else named in words behind the text.
 * Throws `ChannelError` where a picture may be had a little later.
 */
export async function mediaForModel(
  channel: Pick<Channel, 'fetchMedia'>,
  { text, media }: Pick<InboxMessage, 'text' | 'media'>,
): Promise<{ readonly text: string; readonly media: readonly string[] }> {
  const shown: string[] = [];
  const named: string[] = [];
  for (const each of media) {
    const url = await pictureOf(channel, each);
    if (url === undefined) named.push(wordsFor(each));
    else shown.push(url);
  }
  return { text: [text, ...named].filter((part) => part.trim() !== '').join('\n'), media: shown };
}

async function pictureOf(
  channel: Pick<Channel, 'fetchMedia'>,
  { kind, reference, bytes = 0 }: IncomingMedia,
): Promise<string | undefined> {
  if (kind !== 'image' || bytes > MAX_IMAGE_BYTES) return undefined;
  try {
    const fetched = await channel.fetchMedia(reference);
    if (fetched.bytes.byteLength > MAX_IMAGE_BYTES || !fetched.mediaType.startsWith('image/'))
      return undefined;
    return `data:${fetched.mediaType};base64,${Buffer.from(fetched.bytes).toString('base64')}`;
  } catch (error) {
    if (error instanceof ChannelError && (error.code === 'refused' || error.code === 'gone'))
      return undefined;
    throw error;
  }
}

function wordsFor({ kind, name, mediaType, bytes }: IncomingMedia): string {
  const facts = [name, mediaType, bytes === undefined ? undefined : `${bytes} bytes`].filter(
    (fact) => fact !== undefined,
  );
  return `[${kind}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}]`;
}
