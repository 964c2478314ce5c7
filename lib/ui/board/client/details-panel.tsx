import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { BoardStreamLine, BoardTaskDetails } from '../../../domain/view-models/board-view.ts';
import { followEvents, getJson, useLoaded } from '../../page/client/server-requests.ts';
import { streamSigns } from '../../text/task-status-label.ts';
import { describeSpent } from './board-texts.ts';
import { HintBox } from './hint-box.tsx';
import { addSessionToPath, boardState, closePanel, openedPanel, shownTasks } from './received-board-state.ts';
import { TaskDetails, TaskSummary } from './task-details.tsx';
import { ElapsedTime, ForeignText } from './text-components.tsx';

/** A task or an agent beside the board, while one is open; the focus returns to what opened it, or to its card. */
export function TaskOrAgentPanel() {
  const opened = openedPanel.value;
  const from = useRef<Element | null>(null);
  const last = useRef(opened);
  if (opened !== null && last.current === null) from.current = document.activeElement;
  useLayoutEffect(() => {
    if (opened === null && last.current !== null) {
      const card = document.querySelector(`[data-id="${CSS.escape(last.current.id)}"]`);
      const target = from.current?.isConnected === true && from.current !== document.body ? from.current : card;
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    }
    last.current = opened;
  });
  return opened === null ? null : <OpenPanel {...opened} />;
}

function OpenPanel({ kind, id }: NonNullable<typeof openedPanel.value>) {
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    panel.current?.scrollTo(0, 0);
    if (panel.current?.contains(document.activeElement) === false) panel.current.focus();
  }, [kind, id]);
  return (
    <aside id="panel" class="panel" aria-labelledby="panel-title" tabIndex={-1} ref={panel}>
      <div class="panel-head">
        <h2 id="panel-title" dir="auto">
          {shownTasks.value[id]?.title ?? id}
        </h2>
        <button type="button" onClick={closePanel}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      {kind === 'task' ? <OpenTask key={id} id={id} /> : <OpenAgent key={id} id={id} />}
    </aside>
  );
}

function OpenTask({ id }: { readonly id: string }) {
  const task = shownTasks.value[id];
  const path = addSessionToPath(`/api/task/${encodeURIComponent(id)}`);
  const details = useLoaded(() => getJson<BoardTaskDetails>(path), task);
  if (task === undefined) return <p class="quiet">This task no longer exists.</p>;
  if (details === null) return <p class="quiet">Loading …</p>;
  if (details instanceof Error) return <p class="problem">{details.message}</p>;
  return (
    <>
      <TaskSummary id={id} task={task} />
      <TaskStream task={id} agents={details.agents.map((one) => one.id)} />
      <TaskDetails task={task} details={details} />
    </>
  );
}

/** Stream of one agent at a task: the chosen one, else the one at work, else the last. */
function TaskStream({ task, agents }: { readonly task: string; readonly agents: readonly string[] }) {
  const chosen = useSignal<string | null>(null);
  const shown = useRef<string | null>(null);
  const atWork = boardState.value.agents.find((one) => one.task === task)?.id;
  shown.current = chosen.value ?? atWork ?? shown.current ?? agents.at(-1) ?? null;
  const agent = shown.current;
  if (agent === null) return null;
  const names = [...new Set([...agents, agent])];
  return (
    <section class="part">
      <h3>Output</h3>
      {names.length === 1 ? (
        <p class="quiet">{agent}</p>
      ) : (
        <select
          class="agent-choice"
          aria-label="Agent"
          value={agent}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value;
          }}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <AgentTalk key={agent} agent={agent} />
    </section>
  );
}

function AgentTalk({ agent }: { readonly agent: string }) {
  return (
    <>
      <HintBox agent={agent} />
      <Stream agent={agent} />
    </>
  );
}

/** One without a task. */
function OpenAgent({ id }: { readonly id: string }) {
  const agent = boardState.value.agents.find((one) => one.id === id);
  return (
    <>
      {agent !== undefined && (
        <p class="quiet">
          {`${agent.role} · ${agent.adapter} · `}
          <ElapsedTime since={agent.started_at} />
          {` · ${describeSpent(agent)}`}
        </p>
      )}
      <AgentTalk agent={id} />
    </>
  );
}

/** Lines of a stream that stay on the page. */
const mostLines = 1_500;

interface Heard {
  readonly lines?: readonly BoardStreamLine[];
  /** Whether there was a stream at all; at its end. */
  readonly ended?: boolean;
}

/** An agent's stream, live. */
function Stream({ agent }: { readonly agent: string }) {
  const heard = useSignal<readonly BoardStreamLine[]>([]);
  const state = useSignal('Loading …');
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const leaving = new AbortController();
    const hear = ({ lines = [], ended }: Heard): void => {
      heard.value = [...heard.value, ...lines];
      if (ended === undefined) state.value = heard.value.length === 0 ? 'No output yet.' : '';
      else state.value = ended ? 'The agent has ended.' : 'This machine has no output of this agent.';
    };
    const { signal } = leaving;
    followEvents<Heard>(`/api/stream/${encodeURIComponent(agent)}`, hear, { signal }).catch(() => {
      if (!signal.aborted) state.value = 'git flame is not responding: this output is out of date.';
    });
    return () => leaving.abort();
  }, []);
  useLayoutEffect(() => {
    // A person who has scrolled up is reading there.
    if (isAtEnd.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [heard.value]);
  const first = Math.max(0, heard.value.length - mostLines);
  return (
    <div class="stream-box">
      <ol
        class="stream"
        tabIndex={0}
        aria-label={`Output of ${agent}`}
        ref={list}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {heard.value.slice(first).map(({ kind, text }, at) => (
          <li class={kind} key={first + at}>
            {streamSigns[kind] !== '' && <span class="stream-sign">{streamSigns[kind]}</span>}
            <ForeignText class="stream-text">{text}</ForeignText>
          </li>
        ))}
      </ol>
      {state.value !== '' && <p class="quiet">{state}</p>}
    </div>
  );
}
