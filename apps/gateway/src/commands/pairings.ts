import { createPairingStore } from '@x/session-sqlite';
import type { Configuration } from '../configuration/configuration.js';
import { type PairingView, viewPairing } from '../deliveries/delivery-view.js';
import { decidePairing } from '../pairing/pairing-codes.js';
import { readingOperations, writingOperations } from './operations.js';
import { table } from './table.js';

export async function listPairings(configuration: Configuration, asJson: boolean): Promise<string> {
  const pairings = await readingOperations(configuration, async (file) =>
    file === undefined ? [] : createPairingStore(file).list(),
  );
  const views = pairings.map(viewPairing);
  if (asJson) return `${JSON.stringify(views, null, 2)}\n`;
  if (views.length === 0) return 'Nobody has asked yet.\n';
  return table(
    ['CHANNEL', 'SENDER', 'NAME', 'STATE', 'CODE'],
    views.map(({ channel, sender_id, name, state, code }) => [channel, sender_id, name, state, code ?? '']),
  );
}

export async function decide(
  configuration: Configuration,
  code: string,
  action: 'approve' | 'refuse',
): Promise<PairingView> {
  const state = action === 'approve' ? 'approved' : 'refused';
  return writingOperations(configuration, async (file) =>
    viewPairing(await decidePairing(createPairingStore(file), code, state, new Date())),
  );
}

export async function forget(
  configuration: Configuration,
  channel: string,
  sender: string,
): Promise<boolean> {
  return writingOperations(configuration, (file) => createPairingStore(file).remove(channel, sender));
}
