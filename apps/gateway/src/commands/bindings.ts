import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import { RunError } from '../run-error.js';
import { type BindingStore, openBindingStore } from '../thread-bindings/binding-store.js';
import { type BindingView, bindingViewSchema, viewBinding } from '../thread-bindings/binding-view.js';
import { gatewayOn, type RunningGateway } from './running-gateway.js';
import { table } from './table.js';

/** The bindings in force: of the gateway that runs on the data folder, else of the file that it left. */
export async function listBindings(configuration: Configuration): Promise<readonly BindingView[]> {
  const running = await gatewayHere(configuration);
  if (running === undefined) return fileOf(configuration)?.list().map(viewBinding) ?? [];
  return z.object({ bindings: z.array(bindingViewSchema) }).parse(await running.ask('GET', '/api/bindings'))
    .bindings;
}

/** Needs the gateway: it alone knows which sessions and agents there are, and how ids are written. */
export async function bind(configuration: Configuration, wish: unknown): Promise<BindingView> {
  const running = await gatewayHere(configuration);
  if (running === undefined)
    throw new RunError(
      'No gateway runs on this data folder. Start it, then bind: it knows what there is to bind to.',
    );
  return z.object({ binding: bindingViewSchema }).parse(await running.ask('POST', '/api/bindings', wish))
    .binding;
}

/** False where nothing of this id is bound. */
export async function release(configuration: Configuration, id: string): Promise<boolean> {
  const running = await gatewayHere(configuration);
  if (running === undefined) return fileOf(configuration)?.release(id) ?? false;
  const answer = await running.ask('DELETE', `/api/bindings/${encodeURIComponent(id)}`);
  return z.object({ released: z.boolean() }).parse(answer).released;
}

export function describeBindings(bindings: readonly BindingView[]): string {
  if (bindings.length === 0) return 'Nothing is bound.\n';
  return table(
    ['ID', 'CHANNEL', 'WHERE', 'TO', 'UNTIL'],
    bindings.map(({ id, place, target, expires_at }) => [
      id,
      place.channel,
      [place.space, place.chat, place.topic, place.sender].filter((part) => part !== undefined).join(' '),
      'agent' in target ? `agent ${target.agent}` : target.session,
      expires_at?.slice(0, 16).replace('T', ' ') ?? 'released',
    ]),
  );
}

function gatewayHere(configuration: Configuration): Promise<RunningGateway | undefined> {
  return gatewayOn(dataLayout(configuration).store, configuration);
}

function fileOf(configuration: Configuration): BindingStore | undefined {
  const { bindings } = dataLayout(configuration);
  return existsSync(bindings) ? openBindingStore(bindings, () => new Date()) : undefined;
}
