import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** Where a gateway says that it runs on a data folder, so that the command line finds it. */
const addressSchema = z.object({ url: z.url(), pid: z.int(), started_at: z.string() });
export type GatewayAddress = z.infer<typeof addressSchema>;

const PATIENCE_MS = 2000;

export function writeAddress(path: string, address: GatewayAddress): void {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(address, null, 2)}\n`);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Leaves the note of another process alone. */
export function removeAddress(path: string): void {
  if (readAddress(path)?.pid === process.pid) rmSync(path, { force: true });
}

/** The address noted last; whether anyone still listens there is for `/healthz` to say. */
export function readAddress(path: string): GatewayAddress | undefined {
  try {
    return addressSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The running gateway of a data folder. */
export async function findRunningGateway(path: string): Promise<GatewayAddress | undefined> {
  const address = readAddress(path);
  // Another gateway may listen there by now, on another folder.
  if (address === undefined || !isAlive(address.pid)) return undefined;
  // Not AbortSignal.timeout: its timer would let the process end while a dead connection is waited for.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(new URL('/healthz', address.url), { signal: patience.signal });
    return answer.ok ? address : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
