import { isIP } from 'node:net';

/** True for names and addresses that only this machine can reach. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host);
  return (
    bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare)
  );
}

/** The host of a `Host` header or an address, lower-case, without port and brackets; empty where there is none. */
export function bareHost(text: string): string {
  const lower = text.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(lower);
  if (bracketed) return bracketed[1] ?? '';
  if (isIP(lower) === 6) return lower;
  return lower.replace(/:\d*$/, '').replace(/\.$/, '');
}

export function isAddress(host: string): boolean {
  return isIP(bareHost(host)) !== 0;
}
