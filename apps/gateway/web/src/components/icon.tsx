/** Line drawings on a grid of 24, in the colour of the text around them. */
const paths = {
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5.2-1.8L20 20',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  send: 'M12 19V6M6 11.5 12 5.5l6 6',
  stop: 'M7 7h10v10H7z',
  down: 'M12 5v13M6 12.5l6 6 6-6',
  chevron: 'M9 6l6 6-6 6',
  tool: 'M14.5 6.5a4 4 0 0 0-5.2 5.2L4 17v3h3l5.3-5.3a4 4 0 0 0 5.2-5.2L15 12l-3-3 2.5-2.5Z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  help: 'M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .6-1.5 1.2-1.5 2.3M12 18h.01',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 4 3 19.5h18L12 4ZM12 10v4.5M12 17h.01',
  web: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM4 12h16M12 4c-5 5-5 11 0 16M12 4c5 5 5 11 0 16',
  terminal: 'M4 5h16v14H4zM8 10l2.5 2L8 14M13 15h3',
  paperPlane: 'M20 5 3.5 11.5l5.5 2L20 5ZM9 13.5V19l3-3.5M20 5l-3 13-8-4.5',
  hash: 'M9.5 4 8 20M16 4l-1.5 16M4.5 9h15.5M4 15h15.5',
  bubble: 'M5 5h14v11h-7.5L8 19.5V16H5z',
  feather: 'M5 19c1-8 5-13 14-14-1 9-6 13-14 14ZM5 19l7-7',
  bubbles: 'M4 4.5h11v8H9L6.5 15v-2.5H4zM18 9.5h2.5v8H18V20l-2.5-2.5H10V15',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

const channelIcons: Record<string, IconName> = {
  web: 'web',
  cli: 'terminal',
  telegram: 'paperPlane',
  slack: 'hash',
  discord: 'bubbles',
  feishu: 'feather',
};

export function channelIcon(channel: string): IconName {
  return channelIcons[channel] ?? 'bubble';
}
