import { RequestError } from '../request-error.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** The body of a request as JSON. Refuses as `readText` does. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/**
 * The body of a request as text. Refuses with 413 as soon as it is known to be too large: by its announced length,
 * else while it is read.
 */
export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const reader = request.body?.getReader();
  // A caller that goes away in the middle is no fault of ours, and hears no answer.
  const next = () =>
    reader?.read().catch(() => {
      throw new RequestError(400, 'incomplete_body', 'The body broke off before its end.');
    });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let read = await next(); read?.value !== undefined; read = await next()) {
    length += read.value.byteLength;
    if (length > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(read.value);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw notJson();
  }
}

function notJson(): RequestError {
  return new RequestError(400, 'invalid_json', 'The body is not JSON in UTF-8.');
}

function tooLarge(): RequestError {
  return new RequestError(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
