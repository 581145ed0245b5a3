import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileWhole } from '../whole-file.js';
import { type Binding, type BindingTarget, type BoundPlace, bindingSchema, isExpired } from './binding.js';
import { placeId } from './bound-place.js';

/** The bindings of one gateway. What has expired is gone for whoever asks, and leaves the file with the next change. */
export interface BindingStore {
  /** The binding of the first of these places that has one; it counts as used now. */
  follow(places: readonly BoundPlace[]): Binding | undefined;
  /** Binds a place, in the stead of what it was bound to. On disk when it returns. */
  bind(place: BoundPlace, target: BindingTarget, limits: BindingLimits): Binding;
  /** False where nothing of this id is bound. */
  release(id: string): boolean;
  /** By the time of binding, oldest first. */
  list(): readonly Binding[];
}

export interface BindingLimits {
  readonly idleMs: number | undefined;
  readonly maxAgeMs: number | undefined;
}

const fileSchema = z.object({ version: z.literal(1), bindings: z.array(bindingSchema) });

/** Use is written down at most this often: idleness is measured in hours. */
const USE_STEP_MS = 60_000;

/** Opens the file, which need not be there yet. What cannot be read is an error: bindings decide who hears what. */
export function openBindingStore(file: string, clock: () => Date): BindingStore {
  const bindings = new Map(readBindings(file).map((binding) => [binding.id, binding]));

  function current(id: string): Binding | undefined {
    const found = bindings.get(id);
    return found !== undefined && !isExpired(found, clock()) ? found : undefined;
  }
  function save(): void {
    for (const [id, binding] of bindings) if (isExpired(binding, clock())) bindings.delete(id);
    writeFileWhole(file, `${JSON.stringify({ version: 1, bindings: [...bindings.values()] }, null, 2)}\n`);
  }

  return {
    follow(places) {
      for (const place of places) {
        const found = current(placeId(place));
        if (found === undefined) continue;
        const now = clock();
        if (now.getTime() - Date.parse(found.usedAt) < USE_STEP_MS) return found;
        const used = { ...found, usedAt: now.toISOString() };
        bindings.set(found.id, used);
        save();
        return used;
      }
      return undefined;
    },
    bind(place, target, { idleMs, maxAgeMs }) {
      const at = clock().toISOString();
      const binding: Binding = {
        id: placeId(place),
        place,
        target,
        boundAt: at,
        usedAt: at,
        ...(idleMs !== undefined && { idleMs }),
        ...(maxAgeMs !== undefined && { maxAgeMs }),
      };
      bindings.delete(binding.id);
      bindings.set(binding.id, binding);
      save();
      return binding;
    },
    release(id) {
      const found = current(id) !== undefined;
      if (bindings.delete(id)) save();
      return found;
    },
    list: () => [...bindings.values()].filter(({ id }) => current(id) !== undefined),
  };
}

function readBindings(file: string): readonly Binding[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return fileSchema.parse(JSON.parse(text)).bindings;
  } catch (cause) {
    throw new Error(
      `${file} holds no bindings that can be read. Mend it, or move it away to begin without any.`,
      {
        cause,
      },
    );
  }
}
