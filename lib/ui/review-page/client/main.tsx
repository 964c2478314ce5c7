import { render } from 'preact';
import { closestElement, requireElementById } from '../../page/client/dom.ts';
import { keepEventConnection } from '../../page/client/transport.ts';
import type { PageState } from '../page-facts.ts';
import { mainElement, reviewState, waitingSignalCount } from './app.ts';
import { DecisionBar } from './bar.tsx';
import { ReviewChangesetList, showNextWaiting, showWaitingChangeset } from './changesets.tsx';
import { wireComments } from './comments.ts';
import { wireContextButtons } from './context.ts';
import { toggleOnlyNewChanges, wireLayoutAndTheme, wireReviewKeys } from './controls.ts';
import { setOnDecisionAccepted } from './decide.ts';
import { renderFileTree, wireFileTree } from './file-tree.ts';
import { toggleFileFold } from './files.ts';
import { wireFind } from './find.ts';
import { wireViewed } from './viewed.ts';

const message = requireElementById('message', HTMLParagraphElement);
const gone =
  'git flame is not responding: the run has ended, or the connection is lost. You can decide here once it responds again; git flame status shows the next step.';

function take(next: PageState): void {
  reviewState.value = next;
  if (next.phase === 'deciding') waitingSignalCount.value += 1;
  message.textContent = next.message;
  message.hidden = next.message === '';
  message.classList.toggle('ended', next.phase === 'ended');
  message.classList.toggle('gone', next.message === gone);
  showWaitingChangeset();
}

mainElement.addEventListener('click', (event) => {
  const file = closestElement(event.target, '.fold')?.closest('.file');
  if (file instanceof HTMLElement) toggleFileFold(file);
  if (closestElement(event.target, '.since-toggle') !== null) toggleOnlyNewChanges();
});
setOnDecisionAccepted(showNextWaiting);
wireComments();
wireContextButtons();
wireFind();
wireReviewKeys();
wireFileTree();
wireViewed(renderFileTree);
wireLayoutAndTheme();
render(<ReviewChangesetList />, requireElementById('changesets', HTMLElement));
render(<DecisionBar />, requireElementById('bar', HTMLElement));
take(reviewState.value);
const connection = keepEventConnection<PageState>({
  path: () => '/api/events',
  onValue: (next) => {
    if (next.phase === 'ended') connection.stop();
    take(next);
  },
  onLost: () => take({ ...reviewState.value, phase: 'ended', message: gone }),
});
