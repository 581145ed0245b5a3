import * as zlib from 'node:zlib';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** The bytes, unpacked where they are packed. Node has had a decoder of its own since version 22.15. */
export async function unpacked(bytes: Buffer): Promise<Buffer> {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) return bytes;
  const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (packed: Buffer) => Buffer };
  if (zstdDecompressSync !== undefined) return zstdDecompressSync(bytes);
  const { decompress } = await import('fzstd');
  return Buffer.from(decompress(bytes));
}
