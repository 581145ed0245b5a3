import { useCell } from '../state/cell.js';
import { Icon } from './icon.js';
import { usePage } from './page-context.js';

export function ToastBar() {
  const { toasts } = usePage();
  const toast = useCell(toasts.cell);
  return (
    <div class="toast-place" role="status">
      {toast && (
        <div class="toast">
          <span>{toast.text}</span>
          {toast.undo && (
            <button type="button" class="link-button" onClick={toast.undo}>
              Undo
            </button>
          )}
          <button
            type="button"
            class="icon-button icon-button-small"
            aria-label="Dismiss"
            onClick={toasts.dismiss}
          >
            <Icon name="close" size={16} />
          </button>
        </div>
      )}
    </div>
  );
}
