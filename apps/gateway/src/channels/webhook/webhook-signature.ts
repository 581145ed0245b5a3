import { createHmac, timingSafeEqual } from 'node:crypto';
import { RequestError } from '../../request-error.js';

/** A signed request is good for so long: what is overheard cannot be sent again later. */
export const SIGNATURE_VALID_MS = 5 * 60_000;

export const TIMESTAMP_HEADER = 'x-holdfast-timestamp';
export const SIGNATURE_HEADER = 'x-holdfast-signature';

/** The headers that sign a body: `v1=` and the HMAC-SHA256 of `<seconds>.<body>` in hexadecimal digits. */
export function signedHeaders(secret: string, body: string, now: Date): Record<string, string> {
  const seconds = String(Math.floor(now.getTime() / 1000));
  return { [TIMESTAMP_HEADER]: seconds, [SIGNATURE_HEADER]: `v1=${hmac(secret, `${seconds}.${body}`)}` };
}

/** Throws `RequestError` 401 where a body was not signed with this secret, or too long ago. */
export function checkSignature(secret: string, headers: Headers, body: string, now: Date): void {
  const seconds = headers.get(TIMESTAMP_HEADER) ?? '';
  const given = headers.get(SIGNATURE_HEADER) ?? '';
  const expected = `v1=${hmac(secret, `${seconds}.${body}`)}`;
  if (!isSame(given, expected)) {
    throw new RequestError(401, 'signature_invalid', 'The signature is not that of this body and secret.');
  }
  if (!(Math.abs(now.getTime() - Number(seconds) * 1000) <= SIGNATURE_VALID_MS)) {
    throw new RequestError(401, 'signature_expired', 'The request was signed more than five minutes ago.');
  }
}

export function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

export function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
