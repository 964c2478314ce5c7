import { around, byId } from '../../page/client/dom.ts';
import { keepLine } from '../../page/client/keep-line.ts';
import type { PageState } from '../page-state.ts';
import { app, main } from './app.ts';
import { renderChangesets, showNextWaiting } from './changesets.ts';
import { wireComments } from './comments.ts';
import { wireContext } from './context.ts';
import { renderBar, wireDecisions } from './decide.ts';
import { renderFileTree, wireFileTree } from './file-tree.ts';
import { toggleFile } from './files.ts';
import { wireFind } from './find.ts';
import { wireKeys } from './keys.ts';
import { wireLook } from './look.ts';
import { wireMessage } from './message.ts';
import { wireSince } from './since.ts';
import { wireViewed } from './viewed.ts';

const message = byId('message', HTMLParagraphElement);
const gone =
  'git flame does not answer any more: the run was ended or killed, or the way to it is cut. Nothing can be decided here until it answers again; git flame status says what is next.';

function take(state: PageState): void {
  app.state = state;
  if (state.phase === 'deciding') app.questions += 1;
  message.textContent = state.message;
  message.hidden = state.message === '';
  message.classList.toggle('ended', state.phase === 'ended');
  message.classList.toggle('gone', state.message === gone);
  renderChangesets();
  renderBar();
}

main.addEventListener('click', (event) => {
  const file = around(event.target, '.fold')?.closest('.file');
  if (file instanceof HTMLElement) toggleFile(file);
});
wireDecisions(showNextWaiting);
wireComments(renderBar);
wireContext();
wireFind();
wireMessage(renderBar);
wireKeys();
wireFileTree();
wireViewed(renderFileTree);
wireLook();
wireSince();
take(app.state);
const line = keepLine<PageState>({
  path: () => '/api/events',
  onValue: (state) => {
    if (state.phase === 'ended') line.stop();
    take(state);
  },
  onLost: () => take({ ...app.state, phase: 'ended', message: gone }),
});
