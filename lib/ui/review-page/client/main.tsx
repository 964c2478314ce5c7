import { render } from 'preact';
import { closestElement, requireElementById, wireCopyButtons } from '../../page/client/page-elements.ts';
import { keepEventConnection } from '../../page/client/server-requests.ts';
import type { PageState } from '../page-facts.ts';
import { ReviewChangesetList } from './changeset-list.tsx';
import { showAddressed, showNextWaiting, showWaitingChangeset } from './changesets.ts';
import { wireComments } from './comments.ts';
import { wireContextButtons } from './context-buttons.ts';
import { DecisionBar } from './decision-bar.tsx';
import { wireFileLinks } from './file-place.ts';
import { renderFileTree, wireFileTree } from './file-tree.ts';
import { retryFailedParts, toggleFileFold } from './load-file-parts.ts';
import { boardUrl } from './page-address.ts';
import { toggleOnlyNewChanges, wireLayoutAndTheme, wireReviewKeys } from './review-controls.ts';
import { mainElement, reviewState, waitingSignalCount } from './review-state.ts';
import { setOnDecisionAccepted } from './send-decision.ts';
import { wireFind } from './text-search.ts';
import { wireViewed } from './viewed-marks.ts';

const message = requireElementById('message', HTMLParagraphElement);
const gone =
  'git flame is not responding: the run has ended, or the connection is lost. You can decide here once it responds again; git flame status shows the next step.';

function take(next: PageState): void {
  reviewState.value = next;
  if (message.textContent === gone && next.message !== gone) retryFailedParts();
  if (next.phase === 'deciding') waitingSignalCount.value += 1;
  message.textContent = next.message;
  message.hidden = next.message === '';
  message.classList.toggle('ended', next.phase === 'ended');
  message.classList.toggle('gone', next.message === gone);
  showWaitingChangeset();
}

function showBoardLink(url: string): void {
  const link = requireElementById('board-link', HTMLAnchorElement);
  link.href = url;
  link.hidden = false;
}

/** The file whose header was clicked to fold or unfold it; null: something else was meant, such as text of it to copy. */
function fileOfHeader(target: EventTarget | null): HTMLElement | null {
  const isMeant = closestElement(target, '.fold') !== null || getSelection()?.isCollapsed !== false;
  return isMeant && closestElement(target, '.viewed') === null
    ? closestElement(closestElement(target, '.path'), '.file')
    : null;
}

mainElement.addEventListener('click', (event) => {
  const file = fileOfHeader(event.target);
  if (file !== null) toggleFileFold(file);
  if (closestElement(event.target, '.since-toggle') !== null) toggleOnlyNewChanges();
});
setOnDecisionAccepted(showNextWaiting);
wireFileLinks(mainElement);
wireComments();
wireCopyButtons();
wireContextButtons();
wireFind();
wireReviewKeys();
wireFileTree();
wireViewed(renderFileTree);
wireLayoutAndTheme();
render(<ReviewChangesetList />, requireElementById('changeset-list', HTMLElement));
render(<DecisionBar />, requireElementById('bar', HTMLElement));
const board = boardUrl();
if (board !== null) showBoardLink(board);
if (!showAddressed()) take(reviewState.value);
addEventListener('popstate', showAddressed);
const connection = keepEventConnection<PageState>({
  path: () => '/api/events',
  onValue: (next) => {
    if (next.phase === 'ended') connection.stop();
    take(next);
  },
  onLost: () => take({ ...reviewState.value, phase: 'ended', message: gone }),
});
