import type { Status } from '../api/shapes.js';
import { Dialog } from './dialog.js';

/** Which model answers, and how to have another one answer. */
export function ModelDialog({ status, onClose }: { status: Status; onClose: () => void }) {
  const { model, version } = status;
  return (
    <Dialog title="Model" onClose={onClose}>
      <p>
        <strong>{model.label}</strong>
        {model.offline
          ? ' runs inside the gateway, by fixed rules: it shows how conversations are kept.'
          : ` answers here (${model.id}).`}
      </p>
      <p>
        To have {model.offline ? 'a real' : 'another'} model answer, set its key in the gateway's environment
        and start it again:
      </p>
      <pre class="snippet">OPENAI_API_KEY=… npm start</pre>
      <p>
        Anthropic, Google and every server that speaks OpenAI's protocol, Ollama among them, are set up in{' '}
        <code>holdfast.config.json</code> under <code>models</code>. The page{' '}
        <code>docs/configuration.md</code> shows each.
      </p>
      <p class="quiet">Holdfast {version}</p>
    </Dialog>
  );
}
