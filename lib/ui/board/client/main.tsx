import { render } from 'preact';
import { byId } from '../../page/client/dom.ts';
import { keepConnection } from '../../page/client/transport.ts';
import { applyChange, type BoardChange, type BoardNotice } from '../board-changes.ts';
import { about, close, isFresh, session, state } from './app.ts';
import { bindKeys, wireLook } from './controls.ts';
import { Figures, Title } from './header.tsx';
import { Changesets, Log, Sessions } from './lists.tsx';
import { Panel } from './panel.tsx';
import { Plan } from './plan.tsx';
import { Running } from './running.tsx';
import { setClock } from './texts.tsx';
import { Waiting } from './waiting.tsx';

const gone =
  'git flame is not responding: the board has ended, or the connection is lost. This page may be out of date; you can decide here once it responds again.';
const newAddress =
  'The board was restarted at another address, which git flame prints. This page is out of date.';
const message = byId('message', HTMLParagraphElement);

function showConnection(words: string, kind: '' | 'ended' | 'gone'): void {
  message.textContent = words;
  message.hidden = words === '';
  message.className = `message ${kind}`;
}

const connection = keepConnection<BoardChange | BoardNotice>({
  path: () => about('/api/events'),
  onValue: (word) => {
    if ('trouble' in word) return showConnection(word.trouble, 'ended');
    isFresh.value = !('ended' in word);
    if ('ended' in word) {
      connection.stop();
      // No answer can be given here any more.
      state.value = { ...state.value, gate: null, run: word.isRunOver ? null : state.value.run };
      return showConnection(word.ended, 'ended');
    }
    setClock(word.now);
    state.value = applyChange(state.value, word);
    showConnection('', '');
  },
  // The shown state may be stale.
  onLost: (reason) => {
    isFresh.value = false;
    showConnection(reason.startsWith('This address is not valid') ? newAddress : gone, 'gone');
  },
});

function choose(id: string): void {
  close();
  session.value = id;
  location.hash = `session=${id}`;
  connection.restart();
}

const parts = {
  'top-words': <Title />,
  figures: <Figures />,
  waiting: <Waiting />,
  work: <Running />,
  plan: <Plan />,
  sets: <Changesets />,
  story: <Log />,
  others: <Sessions choose={choose} />,
  beside: <Panel />,
};
for (const [id, part] of Object.entries(parts)) render(part, byId(id, HTMLElement));
wireLook();
bindKeys();
