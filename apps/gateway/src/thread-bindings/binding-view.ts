import { z } from 'zod';
import { type Binding, bindingTargetSchema, boundPlaceSchema, expiryOf } from './binding.js';

/** How the API and the command line write a binding. */
export const bindingViewSchema = z.object({
  id: z.string(),
  place: boundPlaceSchema,
  target: bindingTargetSchema,
  bound_at: z.string(),
  used_at: z.string(),
  /** When it is released, unless it is used before; null for never. */
  expires_at: z.string().nullable(),
});
export type BindingView = z.infer<typeof bindingViewSchema>;

export function viewBinding(binding: Binding): BindingView {
  const { id, place, target, boundAt, usedAt } = binding;
  return {
    id,
    place,
    target,
    bound_at: boundAt,
    used_at: usedAt,
    expires_at: expiryOf(binding)?.toISOString() ?? null,
  };
}
