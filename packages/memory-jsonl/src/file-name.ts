import { createHash } from 'node:crypto';

const longest = 180;
const portable = /^[A-Za-z0-9_-]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** PicoClaw's name for a key: `:`, `/` and `\` become `_`. Several keys can share it. */
export function flatName(key: string): string {
  return key.replaceAll(/[:/\\]/g, '_');
}

/**
 * The file name, without ending, for a session that has none yet: PicoClaw's where it is portable, short and not
 * taken; otherwise what can be read of it and a hash of the key. `isTaken` is asked with lower-case names, since
 * some file systems do not tell cases apart.
 */
export function fileNameFor(key: string, isTaken: (lowerCaseName: string) => boolean): string {
  const flat = flatName(key);
  if (flat.length <= longest && portable.test(flat) && !reserved.test(flat) && !isTaken(flat.toLowerCase())) {
    return flat;
  }
  const hash = createHash('sha256').update(key).digest('hex');
  const readable = flat
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 80);
  const prefix = reserved.test(readable) || readable === '' ? `_${readable}` : readable;
  for (const length of [16, 64]) {
    const name = `${prefix}-${hash.slice(0, length)}`;
    if (!isTaken(name.toLowerCase())) return name;
  }
  // A folder in which somebody has taken even this name: count on from it.
  for (let count = 2; ; count += 1) {
    const name = `${prefix}-${hash}-${count}`;
    if (!isTaken(name.toLowerCase())) return name;
  }
}
