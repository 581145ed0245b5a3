import { useState } from 'preact/hooks';
import type { Session } from '../api/shapes.js';
import { sessionName } from '../text/session-name.js';
import { Dialog } from './dialog.js';

export function RenameDialog(props: {
  session: Session;
  onRename: (title: string) => void;
  onClose: () => void;
}) {
  const { session, onRename, onClose } = props;
  const [title, setTitle] = useState(sessionName(session));
  return (
    <Dialog title="Rename conversation" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() === '') return;
          onRename(title.trim());
          onClose();
        }}
      >
        <label class="field">
          <span>Title</span>
          <input
            value={title}
            maxLength={200}
            required
            autofocus
            onInput={(event) => setTitle(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary">
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}
