import type { BoardAgent, BoardCheck } from '../../../domain/view-models/board-view.ts';
import { formatCount } from '../../../util/format-figures.ts';
import { Button } from '../../page/client/send-form.tsx';
import { describeSpent } from './board-texts.ts';
import { boardState, hintedAgent, openAgentPanel, shownTasks } from './received-board-state.ts';
import { ElapsedTime, FoldedSection, ForeignText, TimeLabel } from './text-components.tsx';

/** The agents and checks that run, and what the last checks came to. */
export function RunningAgentsAndChecks() {
  const { agents, checks, ended_checks: ended } = boardState.value;
  return (
    <>
      <h2 id="work-title">Agents</h2>
      <ul id="agents" class="rows">
        {agents.map((agent) => (
          <li class="row" key={agent.id}>
            <AgentRow {...agent} />
          </li>
        ))}
      </ul>
      <ul id="checks" class="rows">
        {checks.map((check) => (
          <li class="row" key={check.id}>
            <CheckRow {...check} />
          </li>
        ))}
      </ul>
      <ul id="ended-checks" class="decided" aria-label="Finished checks">
        {ended.map((check) => (
          <li class={check.is_good ? '' : 'bad'} key={check.id}>
            <span class="row-head">
              <ForeignText>{resultWords(check, `${check.about}: `)}</ForeignText>
              <TimeLabel at={check.ended_at} class="row-end quiet" />
            </span>
          </li>
        ))}
      </ul>
      {agents.length + checks.length === 0 && <p class="quiet">No agents or checks are running.</p>}
    </>
  );
}

function AgentRow(agent: BoardAgent) {
  const { id, role, adapter, blocked, activity } = agent;
  const title = agent.task === null ? null : (shownTasks.value[agent.task]?.title ?? null);
  return (
    <>
      <button type="button" class="row-button" onClick={() => openAgentPanel(id)}>
        <span class="row-head">
          <b>{agent.task ?? role}</b>
          <span class="badge">{role}</span>
          {blocked > 0 && <span class="badge bad">{`${formatCount(blocked, 'call')} blocked`}</span>}
          <ElapsedTime since={agent.started_at} class="row-end quiet" />
        </span>
        {title !== null && <ForeignText class="row-title">{title}</ForeignText>}
        <ForeignText class="row-note">{activity === '' ? 'starting' : activity}</ForeignText>
        <span class="row-note quiet">{[id, adapter, describeSpent(agent)].filter(Boolean).join(' · ')}</span>
      </button>
      <Button
        label="Message…"
        class="tell-button"
        aria-label={`Message… (${agent.task ?? id})`}
        onClick={() => {
          openAgentPanel(id);
          hintedAgent.value = id;
        }}
      />
    </>
  );
}

function CheckRow({ about, command, started_at: since, output, before }: BoardCheck) {
  return (
    <div class="check">
      <span class="row-head">
        <b>{about}</b>
        <span class="badge">check</span>
        <ElapsedTime since={since} class="row-end quiet" />
      </span>
      {before.map((one) => (
        <ForeignText class={`row-note ${one.is_good ? '' : 'bad'}`}>{resultWords(one)}</ForeignText>
      ))}
      <code class="row-title">{command}</code>
      {output !== '' && (
        <FoldedSection summary="Output">
          <pre tabIndex={0}>{output}</pre>
        </FoldedSection>
      )}
    </div>
  );
}

function resultWords(check: BoardCheck['before'][number], about = ''): string {
  const seconds = Math.ceil(check.took_ms / 1_000);
  return `${check.is_good ? '✓' : '✗'} ${about}${check.command}: ${check.result}, ${seconds} s`;
}
