import { render } from 'preact';
import { byId, closestElement } from '../../page/client/dom.ts';
import { keepConnection } from '../../page/client/transport.ts';
import type { PageState } from '../page-facts.ts';
import { main, questions, state } from './app.ts';
import { Bar } from './bar.tsx';
import { Changesets, showNextWaiting, showWhatWaits } from './changesets.tsx';
import { wireComments } from './comments.ts';
import { wireContext } from './context.ts';
import { toggleSince, wireKeys, wireLook } from './controls.ts';
import { wireDecisions } from './decide.ts';
import { renderFileTree, wireFileTree } from './file-tree.ts';
import { toggleFile } from './files.ts';
import { wireFind } from './find.ts';
import { wireViewed } from './viewed.ts';

const message = byId('message', HTMLParagraphElement);
const gone =
  'git flame is not responding: the run has ended, or the connection is lost. You can decide here once it responds again; git flame status shows the next step.';

function take(next: PageState): void {
  state.value = next;
  if (next.phase === 'deciding') questions.value += 1;
  message.textContent = next.message;
  message.hidden = next.message === '';
  message.classList.toggle('ended', next.phase === 'ended');
  message.classList.toggle('gone', next.message === gone);
  showWhatWaits();
}

main.addEventListener('click', (event) => {
  const file = closestElement(event.target, '.fold')?.closest('.file');
  if (file instanceof HTMLElement) toggleFile(file);
  if (closestElement(event.target, '.since-toggle') !== null) toggleSince();
});
wireDecisions(showNextWaiting);
wireComments();
wireContext();
wireFind();
wireKeys();
wireFileTree();
wireViewed(renderFileTree);
wireLook();
render(<Changesets />, byId('changesets', HTMLElement));
render(<Bar />, byId('bar', HTMLElement));
take(state.value);
const connection = keepConnection<PageState>({
  path: () => '/api/events',
  onValue: (next) => {
    if (next.phase === 'ended') connection.stop();
    take(next);
  },
  onLost: () => take({ ...state.value, phase: 'ended', message: gone }),
});
