import { useCell } from '../state/cell.js';
import { type Theme, theme } from '../state/theme.js';
import { Icon, type IconName } from './icon.js';

const themes: readonly { theme: Theme; icon: IconName; label: string }[] = [
  { theme: 'system', icon: 'system', label: "the system's" },
  { theme: 'light', icon: 'sun', label: 'light' },
  { theme: 'dark', icon: 'moon', label: 'dark' },
];

/** Goes round the themes: the system's, light, dark. */
export function ThemeButton() {
  const current = useCell(theme);
  const at = themes.findIndex((choice) => choice.theme === current);
  const { icon, label } = themes[at] ?? { icon: 'system' as const, label: '' };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${label}. Change`}
      title={`Theme: ${label}`}
      onClick={() => theme.set(themes[(at + 1) % themes.length]?.theme ?? 'system')}
    >
      <Icon name={icon} />
    </button>
  );
}
