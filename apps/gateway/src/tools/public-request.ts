import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** The addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export interface PublicRequestOptions {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  /** The body is cut off after so many bytes. */
  readonly maxBytes: number;
  readonly resolve?: ResolveName | undefined;
  readonly isAllowed?: ((address: string) => boolean) | undefined;
}

export interface PublicResponse {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  readonly isCut: boolean;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * GET from the public internet. The address that is connected to is the one that was judged: it is judged within the
 * lookup of each connection, redirects included. Rejects with a sentence.
 */
export async function publicRequest(address: string, options: PublicRequestOptions): Promise<PublicResponse> {
  let url = judgedUrl(address, undefined, options);
  for (let redirects = 0; ; redirects += 1) {
    const response = await connect(url, options);
    const { statusCode: status = 0, headers } = response;
    const { location } = headers;
    if (!REDIRECTS.has(status) || location === undefined) {
      const { body, isCut } = await read(response, options.maxBytes);
      return { url: url.href, status, contentType: headers['content-type'] ?? '', body, isCut };
    }
    response.destroy();
    if (redirects === MOST_REDIRECTS) throw new Error(`More than ${MOST_REDIRECTS} redirects.`);
    url = judgedUrl(location, url, options);
  }
}

function judgedUrl(
  address: string,
  base: URL | undefined,
  { isAllowed = isPublicAddress }: PublicRequestOptions,
): URL {
  if (!URL.canParse(address, base?.href)) throw new Error('That is no address of a page.');
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error('Only http and https are fetched.');
  if (url.username !== '' || url.password !== '')
    throw new Error('Addresses with a name and password are not fetched.');
  // A name is judged when it is looked up; an address never is.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isAllowed(host))
    throw new Error(`${host} is not on the public internet. It is not fetched.`);
  return url;
}

function connect(url: URL, options: PublicRequestOptions): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        // A connection of its own: none that was judged for another request is used again.
        agent: false,
        signal: options.signal,
        headers: { ...options.headers, 'accept-encoding': 'identity' },
        lookup: judgedLookup(options),
      },
      resolve,
    );
    request.on('error', reject);
    request.end();
  });
}

function judgedLookup({
  resolve = resolveByDns,
  isAllowed = isPublicAddress,
}: PublicRequestOptions): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        const refused = addresses.find(({ address }) => !isAllowed(address));
        if (first === undefined) return done(new Error(`${name} has no address.`), '', 0);
        if (refused !== undefined) {
          return done(new Error(`${name} is not on the public internet. It is not fetched.`), '', 0);
        }
        return all === true ? done(null, [...addresses]) : done(null, first.address, first.family);
      },
      (error: Error) => done(error, '', 0),
    );
  };
}

function resolveByDns(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    dnsLookup(name, { all: true, verbatim: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(new Error(`${name} was not found.`, { cause: error }));
    });
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true };
    }
  }
  return { body: Buffer.concat(chunks), isCut: false };
}
