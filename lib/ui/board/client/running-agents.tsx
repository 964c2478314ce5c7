import { useEffect, useRef } from 'preact/hooks';
import type { BoardAgent, BoardCheck, BoardStreamLine } from '../../../domain/view-models/board-view.ts';
import { formatCount, formatElapsed, formatUsd } from '../../../util/format-figures.ts';
import { Button } from '../../page/client/send-form.tsx';
import { streamSigns } from '../../text/task-status-label.ts';
import { describeSpent } from './board-texts.ts';
import { boardState, hintedAgent, openAgentPanel, titleOf } from './received-board-state.ts';
import { StopAgent } from './stop-agent.tsx';
import { clock, ElapsedTime, FoldedSection, ForeignText, TimeLabel } from './text-components.tsx';

/** Agents and checks at work, each with what it printed last. */
export function RunningAgentsAndChecks() {
  const { agents, checks, is_running, gate } = boardState.value;
  const isIdle = agents.length + checks.length === 0;
  // Between two waves nothing runs for a moment; while a person is asked it stays so.
  const isOver = isIdle && (!is_running || gate !== null);
  const room = useKeptHeight(!isOver);
  if (isOver) return null;
  return (
    <>
      <h2 id="work-title">
        {isIdle
          ? 'At work'
          : `At work: ${[countOf(agents.length, 'agent'), countOf(checks.length, 'check')].filter(Boolean).join(', ')}`}
      </h2>
      <div class="cards-room" ref={room}>
        <ul id="agents" class="cards">
          {agents.map((agent) => (
            <li class="card" key={agent.id}>
              <AgentCard {...agent} />
            </li>
          ))}
        </ul>
        <ul id="checks" class="cards">
          {checks.map((check) => (
            <li class="card" key={check.id}>
              <CheckCard {...check} />
            </li>
          ))}
        </ul>
        {isIdle && <p class="quiet">No agents or checks are running.</p>}
      </div>
    </>
  );
}

function countOf(count: number, noun: string): string {
  return count === 0 ? '' : formatCount(count, noun);
}

/** An element that keeps the height it once had, while something runs: what is below it stays where it is. */
function useKeptHeight(isRunning: boolean) {
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = room;
    if (element === null) return;
    let [width, kept] = [0, 0];
    const watch = new ResizeObserver(() => {
      const now = element.getBoundingClientRect();
      // In another width the cards stand in other rows.
      if (Math.abs(now.width - width) > 1) {
        element.style.minHeight = '';
        kept = 0;
      }
      width = now.width;
      kept = Math.max(kept, element.getBoundingClientRect().height);
      element.style.minHeight = `${kept}px`;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [isRunning]);
  return room;
}

/** Without a word for that long, an agent is quiet. */
const quietMs = 120_000;

function AgentCard(agent: BoardAgent) {
  const { id, role, adapter, blocked, last_activity_at: last } = agent;
  const title = agent.task === null ? null : titleOf(agent.task);
  const spent = agent.cost_usd > 0 ? formatUsd(agent.cost_usd) : describeSpent(agent);
  const silence = clock.value - Date.parse(last);
  return (
    <>
      <p class="card-head">
        <span class="role" data-kind={role === 'validator' ? 'checks' : 'works'}>
          {role}
        </span>
        <span title={`${id}, ${adapter}`}>{agent.task ?? id}</span>
        {silence > quietMs && <span class="badge waiting">{`silent for ${formatElapsed(silence)}`}</span>}
        {blocked > 0 && (
          <span class="badge bad" title={`${formatCount(blocked, 'call')} blocked`}>{`${blocked} blocked`}</span>
        )}
        <span class="row-end">
          <ElapsedTime since={agent.started_at} />
          {spent === '' ? '' : ` · ${spent}`}
        </span>
      </p>
      <div class="card-body">
        <button type="button" class="card-title" onClick={() => openAgentPanel(id)}>
          <ForeignText>{title ?? `${role}, for the session`}</ForeignText>
        </button>
        <span class="card-tools">
          <Button
            label="Message…"
            class="tell-button"
            aria-label={`Message… (${agent.task ?? id})`}
            onClick={() => {
              openAgentPanel(id);
              hintedAgent.value = id;
            }}
          />
          <StopAgent {...agent} />
        </span>
      </div>
      <LatestLines {...agent} />
    </>
  );
}

/** The end of its output, in room for just that: a card stays as high as it is. */
function LatestLines({ recent, activity }: Pick<BoardAgent, 'recent' | 'activity'>) {
  const said: readonly BoardStreamLine[] = activity === '' ? [] : [{ kind: 'said', text: activity }];
  const lines = recent.length > 0 ? recent : said;
  return (
    <ol class="latest">
      {lines.length === 0 && <li class="quiet">No output yet.</li>}
      {lines.map(({ kind, text }, at) => (
        <li class={kind} key={`${at} ${text}`}>
          {streamSigns[kind] !== '' && <span class="stream-sign">{streamSigns[kind]}</span>}
          <ForeignText>{text}</ForeignText>
        </li>
      ))}
    </ol>
  );
}

function CheckCard({ about, command, started_at: since, output, before }: BoardCheck) {
  const title = titleOf(about);
  const last = output.trimEnd().split('\n').slice(-3).filter(Boolean);
  return (
    <>
      <p class="card-head">
        <span class="role" data-kind="checks">
          check
        </span>
        <ElapsedTime since={since} class="row-end" />
      </p>
      <p class="card-title">
        <ForeignText>{title}</ForeignText>
      </p>
      {before.map((one) => (
        <ForeignText class={`row-note ${one.is_good ? '' : 'problem'}`}>{resultWords(one)}</ForeignText>
      ))}
      <code class="card-command">{command}</code>
      <ol class="latest">
        {last.length === 0 && <li class="quiet">No output yet.</li>}
        {last.map((line) => (
          <li>
            <ForeignText>{line}</ForeignText>
          </li>
        ))}
      </ol>
      {output !== '' && (
        <FoldedSection summary="Output">
          <pre tabIndex={0}>{output}</pre>
        </FoldedSection>
      )}
    </>
  );
}

function resultWords(check: BoardCheck['before'][number], about = ''): string {
  return `${check.is_good ? '✓' : '✗'} ${about}${check.command}: ${check.result}, ${Math.ceil(check.took_ms / 1_000)} s`;
}

/** What the last checks came to, folded where all is well. */
export function EndedChecks() {
  const { ended_checks: ended } = boardState.value;
  if (ended.length === 0) return null;
  const bad = ended.filter((one) => !one.is_good).length;
  return (
    <details open={bad > 0}>
      <summary>
        <h2 id="checked-title">{`Last checks: ${bad === 0 ? 'all passed' : `${bad} failed`}`}</h2>
      </summary>
      <ul id="ended-checks" class="decided">
        {ended.map((check) => (
          <li class={check.is_good ? '' : 'problem'} key={check.id}>
            <span class="row-head">
              <ForeignText>{resultWords(check, `${titleOf(check.about)}: `)}</ForeignText>
              <TimeLabel at={check.ended_at} class="row-end quiet" />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
