const labels: Record<string, string> = {
  web: 'Web',
  cli: 'Terminal',
  telegram: 'Telegram',
  slack: 'Slack',
  discord: 'Discord',
  feishu: 'Feishu',
  whatsapp: 'WhatsApp',
  webhook: 'Webhook',
};

/** A channel's name as people write it. */
export function channelLabel(channel: string): string {
  const known = labels[channel];
  if (known !== undefined) return known;
  return channel === '' ? 'Unknown' : channel.charAt(0).toUpperCase() + channel.slice(1);
}
