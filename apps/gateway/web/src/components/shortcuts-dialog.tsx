import { Dialog } from './dialog.js';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
const control = isApple ? '⌘' : 'Ctrl';
const alt = isApple ? '⌥' : 'Alt';

const shortcuts: readonly [keys: readonly string[], meaning: string][] = [
  [['Enter'], 'Send the message'],
  [['Shift', 'Enter'], 'Begin a new line'],
  [['Esc'], 'Stop the answer being written'],
  [[alt, 'N'], 'New chat'],
  [[control, 'K'], 'Find a conversation'],
  [[alt, '↑'], 'Conversation above'],
  [[alt, '↓'], 'Conversation below'],
  [[alt, 'End'], 'Jump to the newest message'],
  [['?'], 'Show these shortcuts'],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
