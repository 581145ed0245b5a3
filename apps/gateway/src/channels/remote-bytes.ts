import { ChannelError, type FetchedMedia } from './channel.js';

const MAX_BYTES = 20 * 1024 * 1024;
const PATIENCE_MS = 30_000;

/** Fetches what a platform keeps of a message. The address may hold a secret: no error repeats it. */
export async function fetchBytes(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FetchedMedia> {
  let answer: Response;
  try {
    answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch {
    throw new ChannelError('unreachable', 'The attachment cannot be fetched now.');
  }
  if (!answer.ok) {
    await answer.body?.cancel();
    const code = answer.status >= 500 || answer.status === 429 ? 'unreachable' : 'gone';
    throw new ChannelError(code, `The attachment cannot be fetched (${answer.status}).`);
  }
  if (Number(answer.headers.get('content-length') ?? 0) > MAX_BYTES) {
    await answer.body?.cancel();
    throw new ChannelError('refused', `The attachment is larger than ${MAX_BYTES} bytes.`);
  }
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const mediaType = answer.headers.get('content-type')?.split(';')[0]?.trim() ?? 'application/octet-stream';
  return { bytes, mediaType };
}

/** What a `data:` address holds; undefined for any other address. */
export function bytesOfDataUrl(url: string): FetchedMedia | undefined {
  const [, mediaType = '', base64, body = ''] = /^data:([^;,]*)(?:;[^,]*?)?(;base64)?,(.*)$/s.exec(url) ?? [];
  if (!url.startsWith('data:')) return undefined;
  const bytes = base64 === undefined ? Buffer.from(decodeURIComponent(body)) : Buffer.from(body, 'base64');
  return { bytes, mediaType: mediaType === '' ? 'application/octet-stream' : mediaType };
}
