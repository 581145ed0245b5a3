/** The channels whose names are not just written with a capital. */
const labels: Record<string, string> = { cli: 'Terminal', whatsapp: 'WhatsApp' };

/** A channel's name as people write it. */
export function channelLabel(channel: string): string {
  return labels[channel] ?? channel.charAt(0).toUpperCase() + channel.slice(1);
}
