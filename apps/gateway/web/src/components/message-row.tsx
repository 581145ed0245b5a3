import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Message } from '../api/shapes.js';
import { channelLabel } from '../text/channel-label.js';
import { attachments, messageText } from '../text/message-text.js';
import { clockTime, dayName } from '../text/time.js';
import { Icon } from './icon.js';
import { copyText, MarkdownText } from './markdown-text.js';
import { memo } from './memo.js';
import { ToolCallFold } from './tool-call-fold.js';

export interface MessageRowProps {
  message: Message;
  results: ReadonlyMap<string, Message>;
  startsDay: boolean;
  startsSegment: boolean;
  channel: string;
  running: boolean;
}

/** One stored message, with the day and the segment that begin with it. */
export const MessageRow = memo((props: MessageRowProps) => {
  const { message, startsDay, startsSegment } = props;
  return (
    <>
      {startsDay && <div class="divider">{dayName(message.created_at, new Date())}</div>}
      {startsSegment && (
        <div class="divider divider-segment">
          <span>The agent starts afresh here. Above: an earlier segment, kept for you to read.</span>
        </div>
      )}
      <Body {...props} />
    </>
  );
});

function Body({ message, results, channel, running }: MessageRowProps) {
  const text = messageText(message);
  switch (message.role) {
    case 'user':
      return (
        <article
          class="message message-user"
          aria-label={`${author(message, channel)}, ${clockTime(message.created_at)}`}
        >
          <div class="bubble">
            {text}
            <Attachments message={message} />
          </div>
          <Foot message={message} text={text}>
            {author(message, channel)} · <Time message={message} /> · Saved
          </Foot>
        </article>
      );
    case 'assistant':
      return (
        <article class="message message-assistant" aria-label={`Answer, ${clockTime(message.created_at)}`}>
          {message.reasoning && (
            <details class="fold">
              <summary>
                <Icon name="chevron" size={14} />
                Thoughts
              </summary>
              <div class="fold-body fold-words">{message.reasoning}</div>
            </details>
          )}
          {text !== '' && text !== message.meta?.error && <MarkdownText text={text} />}
          <Attachments message={message} />
          {message.tool_calls?.map((call) => (
            <ToolCallFold key={call.id} call={call} result={results.get(call.id)} running={running} />
          ))}
          <StatusBadge message={message} />
          <Foot message={message} text={text}>
            {message.model_name ? `${message.model_name} · ` : ''}
            <Time message={message} />
          </Foot>
        </article>
      );
    case 'system':
      return (
        <article class="message message-system" aria-label="Instructions to the agent">
          <details class="fold">
            <summary>
              <Icon name="chevron" size={14} />
              Instructions to the agent
            </summary>
            <div class="fold-body fold-words">{text}</div>
          </details>
        </article>
      );
    case 'tool':
      return (
        <article class="message message-assistant" aria-label="Result of a tool">
          <details class="fold">
            <summary>
              <Icon name="tool" size={14} />
              {message.tool_name ?? 'Tool'}
            </summary>
            <pre class="fold-body">{text}</pre>
          </details>
        </article>
      );
  }
}

function author(message: Message, channel: string): string {
  const sender = message.meta?.sender_name ?? message.meta?.sender;
  if (typeof sender === 'string' && sender !== '') return sender;
  return channel === 'web' || channel === 'cli' ? 'You' : `${channelLabel(channel)} user`;
}

function Time({ message }: { message: Message }) {
  return (
    <time dateTime={message.created_at} title={new Date(message.created_at).toLocaleString()}>
      {clockTime(message.created_at)}
    </time>
  );
}

const badges: Record<string, string> = {
  interrupted: 'Interrupted: the gateway stopped before the answer was finished.',
  failed: 'Failed: the answer could not be finished.',
  stopped: 'Stopped on request.',
};

function StatusBadge({ message }: { message: Message }) {
  const words = badges[message.meta?.status ?? ''];
  if (words === undefined) return null;
  return (
    <p class={`badge badge-${message.meta?.status}`}>
      <Icon name={message.meta?.status === 'stopped' ? 'stop' : 'alert'} size={14} />
      <span>{message.meta?.error ? `Failed. ${message.meta.error}` : words}</span>
    </p>
  );
}

function Attachments({ message }: { message: Message }) {
  const names = attachments(message);
  if (names.length === 0) return null;
  return (
    <ul class="attachments">
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}

/** Who, which model and when; and the message's text for the clipboard. Shown on hover and focus. */
function Foot({ message, text, children }: { message: Message; text: string; children: ComponentChildren }) {
  const [copied, setCopied] = useState(false);
  if (text === '' && message.tool_calls) return null;
  return (
    <div class="message-foot">
      <span>{children}</span>
      <button
        type="button"
        class="icon-button icon-button-small"
        aria-label={copied ? 'Copied' : 'Copy this message'}
        title="Copy this message"
        onClick={async () => {
          await copyText(text);
          setCopied(true);
          setTimeout(() => setCopied(false), 1_500);
        }}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </button>
    </div>
  );
}
