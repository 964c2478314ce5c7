import { render } from 'preact';
import { requireElementById, wireCopyButtons } from '../../page/client/page-elements.ts';
import { keepEventConnection } from '../../page/client/server-requests.ts';
import { applyBoardChange, type BoardChange, type BoardMessage } from '../board-changes.ts';
import { wireBoardKeys, wireThemeChoice } from './board-controls.ts';
import { BoardChangesetList, SessionChooser, SessionLogList } from './changesets-log-sessions.tsx';
import { TaskOrAgentPanel } from './details-panel.tsx';
import { ObjectiveTitle, SessionStage, SpendingByRole } from './header.tsx';
import { WorkLanes } from './lanes.tsx';
import { OtherSessions } from './other-sessions.tsx';
import { addSessionToPath, boardState, chosenSession, closePanel, isFresh } from './received-board-state.ts';
import { EndedChecks, RunningAgentsAndChecks } from './running-agents.tsx';
import { TaskSection } from './tasks.tsx';
import { setBoardClock } from './text-components.tsx';
import { LastDecisions, WaitingQuestions } from './waiting-questions.tsx';

const gone =
  'git flame is not responding: the board has ended, or the connection is lost. This page may be out of date; you can decide here once it responds again.';
const newAddress = 'The board was restarted at another address, which git flame prints. This page is out of date.';
const message = requireElementById('message', HTMLParagraphElement);

function showConnection(words: string, kind: '' | 'ended' | 'gone'): void {
  message.textContent = words;
  message.hidden = words === '';
  message.className = `message ${kind}`;
}

const connection = keepEventConnection<BoardChange | BoardMessage>({
  path: () => addSessionToPath('/api/events'),
  onValue: (word) => {
    if ('trouble' in word) return showConnection(word.trouble, 'ended');
    isFresh.value = !('ended' in word);
    if ('ended' in word) {
      connection.stop();
      // No answer can be given here any more.
      boardState.value = {
        ...boardState.value,
        gate: null,
        is_running: !word.isRunOver && boardState.value.is_running,
      };
      return showConnection(word.ended, 'ended');
    }
    setBoardClock(word.now);
    boardState.value = applyBoardChange(boardState.value, word);
    showConnection('', '');
  },
  // The shown state may be stale.
  onLost: (reason) => {
    isFresh.value = false;
    showConnection(reason.startsWith('This address is not valid') ? newAddress : gone, 'gone');
  },
});

function choose(id: string): void {
  closePanel();
  chosenSession.value = id;
  location.hash = `session=${id}`;
  connection.restart();
}

const parts = {
  'top-words': <ObjectiveTitle />,
  stage: <SessionStage />,
  waiting: <WaitingQuestions />,
  work: <RunningAgentsAndChecks />,
  plan: <TaskSection />,
  lanes: <WorkLanes />,
  decisions: <LastDecisions />,
  checked: <EndedChecks />,
  spent: <SpendingByRole />,
  sets: <BoardChangesetList />,
  story: <SessionLogList />,
  others: <SessionChooser choose={choose} />,
  'other-sessions': <OtherSessions />,
  beside: <TaskOrAgentPanel />,
};
for (const [id, part] of Object.entries(parts)) render(part, requireElementById(id, HTMLElement));
wireThemeChoice();
wireBoardKeys();
wireCopyButtons();
