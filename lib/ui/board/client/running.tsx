import type { BoardAgent, BoardCheck } from '../../../domain/view-models/board.ts';
import { formatCount } from '../../../util/format-figures.ts';
import { Button } from '../../page/client/send-form.tsx';
import { hintedAgent, openAgent, state, tasks } from './app.ts';
import { describeSpent } from './board-texts.ts';
import { Elapsed, Fold, Moment, Text } from './texts.tsx';

/** The agents and checks that run, and what the last checks came to. */
export function Running() {
  const { agents, checks, ended_checks: ended } = state.value;
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
              <Text>{resultWords(check, `${check.about}: `)}</Text>
              <Moment at={check.ended_at} class="row-end quiet" />
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
  const title = agent.task === null ? null : (tasks.value[agent.task]?.title ?? null);
  return (
    <>
      <button type="button" class="row-button" onClick={() => openAgent(id)}>
        <span class="row-head">
          <b>{agent.task ?? role}</b>
          <span class="badge">{role}</span>
          {blocked > 0 && <span class="badge bad">{`${formatCount(blocked, 'call')} blocked`}</span>}
          <Elapsed since={agent.started_at} class="row-end quiet" />
        </span>
        {title !== null && <Text class="row-title">{title}</Text>}
        <Text class="row-note">{activity === '' ? 'starting' : activity}</Text>
        <span class="row-note quiet">{[id, adapter, describeSpent(agent)].filter(Boolean).join(' · ')}</span>
      </button>
      <Button
        label="Message…"
        class="tell-button"
        aria-label={`Message… (${agent.task ?? id})`}
        onClick={() => {
          openAgent(id);
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
        <Elapsed since={since} class="row-end quiet" />
      </span>
      {before.map((one) => (
        <Text class={`row-note ${one.is_good ? '' : 'bad'}`}>{resultWords(one)}</Text>
      ))}
      <code class="row-title">{command}</code>
      {output !== '' && (
        <Fold summary="Output">
          <pre tabIndex={0}>{output}</pre>
        </Fold>
      )}
    </div>
  );
}

function resultWords(check: BoardCheck['before'][number], about = ''): string {
  const seconds = Math.ceil(check.took_ms / 1_000);
  return `${check.is_good ? '✓' : '✗'} ${about}${check.command}: ${check.result}, ${seconds} s`;
}
