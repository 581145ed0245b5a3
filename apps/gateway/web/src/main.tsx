import { render } from 'preact';
import { App } from './components/app.js';
import { createPageStore } from './state/page-store.js';
import './styles/tokens.css';
import './styles/controls.css';
import './styles/page.css';
import './styles/conversation.css';
import './styles/prose.css';

const root = document.getElementById('root');
if (root) render(<App page={createPageStore()} />, root);
