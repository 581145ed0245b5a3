import { useState } from 'preact/hooks';
import type { SessionDetail } from '../api/shapes.js';
import { useCell } from '../state/cell.js';
import { channelLabel } from '../text/channel-label.js';
import { sessionName } from '../text/session-name.js';
import { channelIcon, Icon } from './icon.js';
import { ModelDialog } from './model-dialog.js';
import { usePage } from './page-context.js';
import { SessionMenu } from './session-menu.js';

export function ConversationHeader(props: {
  session: SessionDetail | undefined;
  isNew: boolean;
  onMenu: () => void;
}) {
  const { session, isNew, onMenu } = props;
  const page = usePage();
  const status = useCell(page.status);
  const [showsModel, setShowsModel] = useState(false);
  return (
    <header class="header">
      <button type="button" class="icon-button drawer-button" aria-label="Conversations" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <div class="header-words">
        <h1 class="header-title">{session ? sessionName(session) : isNew ? 'New chat' : ' '}</h1>
        {session && (
          <p class="header-second">
            <Icon name={channelIcon(session.channel)} size={14} />
            {channelLabel(session.channel)}
            {session.agent_id !== 'main' && ` · ${session.agent_id}`}
            {session.archived && ' · Archived'}
          </p>
        )}
      </div>
      {status && (
        <button
          type="button"
          class="model-button"
          title="Which model answers, and how to change it"
          onClick={() => setShowsModel(true)}
        >
          <span class="model-name">{status.model.label}</span>
          {status.model.offline && <span class="model-short">Demo</span>}
          {status.model.offline && <span class="model-tag">Use another</span>}
        </button>
      )}
      {session && <SessionMenu session={session} />}
      {showsModel && status && <ModelDialog status={status} onClose={() => setShowsModel(false)} />}
    </header>
  );
}
