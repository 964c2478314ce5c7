import { byId } from '../../page/client/dom.ts';
import { applyChange, type BoardChange, type BoardEnd } from '../board-changes.ts';
import { app } from './app.ts';
import { connect } from './connection.ts';
import { renderGates } from './gates.ts';
import { renderHeader } from './header.ts';
import { wireKeys } from './keys.ts';
import { renderChangesets, renderLog, renderNotices, renderSessions } from './lists.ts';
import { wireLook } from './look.ts';
import { closePanel, openAgent, openTask, renderPanel, tellAgent, wirePanel } from './panel.ts';
import { renderPlan, switchView, wirePlan } from './plan.ts';
import { renderRunning } from './running.ts';
import { startClock } from './times.ts';

const message = byId('message', HTMLParagraphElement);

function say(words: string, kind: '' | 'ended' | 'gone'): void {
  message.textContent = words;
  message.hidden = words === '';
  message.className = `message ${kind}`;
}

function take(change: BoardChange): void {
  app.state = applyChange(app.state, change);
  app.clockAhead = change.now - Date.now();
  app.isFresh = true;
  document.body.classList.remove('stale');
  say('', '');
  const { parts, tasks, gone } = change;
  const hasTasks = Object.keys(tasks).length + gone.length > 0;
  if (parts.session !== undefined || parts.run !== undefined || hasTasks) renderHeader();
  if (parts.notices !== undefined || parts.session !== undefined) renderNotices();
  renderGates();
  if (parts.agents !== undefined || parts.checks !== undefined)
    renderRunning({ open: showAgent, tell: showTelling });
  if (hasTasks) renderPlan(showTask);
  if (parts.changesets !== undefined) renderChangesets();
  if (parts.log !== undefined) renderLog();
  if (parts.sessions !== undefined || parts.session !== undefined) renderSessions(chooseSession);
  renderPanel();
}

function lose(words: string, end: BoardEnd | null): void {
  app.isFresh = false;
  document.body.classList.add('stale');
  say(words, end === null ? 'gone' : 'ended');
  if (end === null) return;
  // No answer can be given here any more.
  app.state = { ...app.state, gate: null, run: end.isRunOver ? null : app.state.run };
  renderGates();
  renderHeader();
}

function showTask(id: string): void {
  openTask(id);
  renderPlan(showTask);
}

function showAgent(id: string): void {
  openAgent(id);
  renderPlan(showTask);
}

function showTelling(id: string): void {
  tellAgent(id);
  renderPlan(showTask);
}

function chooseSession(id: string): void {
  closePanel();
  app.session = id;
  location.hash = `session=${id}`;
  connection.restart();
}

const connection = connect({ onChange: take, onTrouble: (words) => say(words, 'ended'), onLost: lose });
wireLook();
wirePlan(showTask);
wirePanel(() => renderPlan(showTask));
wireKeys({
  switchView: () => switchView(showTask),
  close: () => {
    const wasOpen = closePanel();
    if (wasOpen) renderPlan(showTask);
    return wasOpen;
  },
});
startClock();
