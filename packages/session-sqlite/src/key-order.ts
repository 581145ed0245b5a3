/*
 * The contract orders keys by UTF-16 code unit, SQLite compares UTF-8 bytes: they differ for letters beyond the first
 * plane. Such a key has an order of its own in a column; all others sort as they are.
 */

/** Bytes that sort as the key does, where those of UTF-8 do not. */
export function keyOrder(key: string): Buffer | null {
  return /[\ud800-\udfff]/.test(key) ? orderBytes(key) : null;
}

/** What `keyOrderSql` gives for a key: UTF-8, each code unit written for itself. */
export function orderBytes(key: string): Buffer {
  const bytes: number[] = [];
  for (let index = 0; index < key.length; index += 1) {
    const unit = key.charCodeAt(index);
    if (unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

/** The same in SQL, for the table `sessions` under a name. The indexes of the pages are built on this very text. */
export function keyOrderSql(table: string): string {
  return `coalesce(${table}key_order, CAST(${table}id AS BLOB))`;
}
