import type { Message, ToolCall } from '../api/shapes.js';
import { messageText } from '../text/message-text.js';
import { Icon } from './icon.js';

/** A tool that the model used: its name, and on opening what it was given and what came back. */
export function ToolCallFold(props: { call: ToolCall; result: Message | undefined; running: boolean }) {
  const { call, result, running } = props;
  const status = result?.meta?.error === undefined ? result?.meta?.status : 'failed';
  return (
    <details class="fold">
      <summary>
        <Icon name="tool" size={14} />
        <span class="fold-name">{call.name}</span>
        <span class="fold-state">{status ?? stateWords(result !== undefined, running)}</span>
        <Icon name="chevron" size={14} />
      </summary>
      <div class="fold-body">
        <div class="fold-label">Arguments</div>
        <pre>{readable(call.arguments)}</pre>
        <div class="fold-label">Result</div>
        <pre>{result ? messageText(result) : running ? 'Not there yet.' : 'There is none.'}</pre>
      </div>
    </details>
  );
}

function stateWords(hasResult: boolean, running: boolean): string {
  if (hasResult) return 'done';
  return running ? 'running' : 'no result';
}

/** The arguments laid out where they are JSON, else as the model wrote them. */
function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
