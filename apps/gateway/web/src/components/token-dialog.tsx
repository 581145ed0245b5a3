import { useState } from 'preact/hooks';
import { Dialog } from './dialog.js';

/** Asks for the gateway's token, where one is in force. */
export function TokenDialog({ onToken }: { onToken: (token: string) => void }) {
  const [token, setToken] = useState('');
  return (
    <Dialog title="This gateway asks for a token" onClose={() => undefined} closable={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') onToken(token.trim());
        }}
      >
        <p>
          It is the value of HOLDFAST_TOKEN where the gateway was started. It is kept until this tab is
          closed.
        </p>
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            value={token}
            required
            autofocus
            autocomplete="current-password"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <div class="dialog-actions">
          <button type="submit" class="button button-primary">
            Continue
          </button>
        </div>
      </form>
    </Dialog>
  );
}
