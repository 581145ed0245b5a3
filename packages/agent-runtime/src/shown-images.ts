import type { ModelMessage } from 'ai';

/**
 * Images by address stay images where the provider fetches them itself, and become words where it does not:
 * nobody else should fetch them, and a request that is refused for one would be refused for ever.
 */
export function shownImages(
  messages: readonly ModelMessage[],
  supported: Record<string, readonly RegExp[]>,
): ModelMessage[] {
  const patterns = Object.entries(supported)
    .filter(
      ([mediaType]) => mediaType === '*' || mediaType.startsWith('*/') || mediaType.startsWith('image/'),
    )
    .flatMap(([, expressions]) => expressions);
  return messages.map((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((part) => {
      if (part.type !== 'image' || !(part.image instanceof URL)) return part;
      const address = part.image.href;
      if (patterns.some((pattern) => pattern.test(address.toLowerCase()))) return part;
      return { type: 'text' as const, text: `[media: ${address}]` };
    });
    return { ...message, content };
  });
}
