import { useLayoutEffect } from 'preact/hooks';
import { cycleNumber } from '../../../domain/state/session-facts.ts';
import { countTasks, describeTaskCounts, type TaskCounts } from '../../../domain/state/task-counts.ts';
import { type BoardSession, type BoardWave, emptyBoardState } from '../../../domain/view-models/board-view.ts';
import { formatElapsed, formatSpend, formatTokens, formatUsd } from '../../../util/format-figures.ts';
import { waitsInTitle } from '../../page/client/page-elements.ts';
import { boardState, shownTasks } from './received-board-state.ts';
import { clock, ElapsedTime } from './text-components.tsx';

const name = 'git flame board';

/** The session's objective. */
export function ObjectiveTitle() {
  const { session, gate, is_running } = boardState.value;
  const lands = session?.lands_on == null ? '' : `, landing on ${session.lands_on}`;
  const cycle = session === null ? 1 : cycleNumber(session);
  const stands = session === null ? '' : gate !== null ? waitsInTitle : is_running ? '' : 'nothing runs';
  useLayoutEffect(() => {
    // A tab in the background has nothing else to say it with.
    document.title = [stands, session?.title, name].filter(Boolean).join(' · ');
  }, [session, stands]);
  return (
    <>
      <h1 id="title" dir="auto" title={session?.objective}>
        {session?.title ?? (boardState.value === emptyBoardState ? 'Loading …' : 'No session yet')}
      </h1>
      <p class="kicker">
        {session === null
          ? name
          : `on ${session.base_branch}${lands}${cycle > 1 ? ` · cycle ${cycle}` : ''} · ${session.id}`}
      </p>
    </>
  );
}

/** Where the session stands: its waves, how many tasks are done, what it has cost, and how old it is. */
export function SessionStage() {
  const { session, is_running, waves, log } = boardState.value;
  if (session === null) return null;
  // Time goes on, the session does not.
  const end = session.state === 'ended' ? (log[0]?.at ?? null) : null;
  return (
    <>
      <h2 class="unseen">Where it stands</h2>
      <ol class="waves" aria-label="Waves of this cycle">
        {waves.map((wave) => (
          <WaveStep key={wave.wave} {...wave} />
        ))}
      </ol>
      <dl class="figures" id="figures">
        <TaskProgress />
        <Spending {...session} />
        <div class="figure">
          <dt>{end === null ? 'Age' : 'Took'}</dt>
          <dd>
            <b>
              <ElapsedTime since={session.created_at} until={end} />
            </b>
            <span class="progress" aria-hidden="true" />
            <span class="quiet">
              {session.state === 'ended' ? 'ended' : is_running ? 'run in progress' : 'no run in progress'}
            </span>
          </dd>
        </div>
      </dl>
    </>
  );
}

const waveSigns = { done: '✓', now: '●', next: '○' } as const;
const waveWords = { done: 'done', now: 'in progress', next: 'not yet' } as const;

function WaveStep({ wave, stands, took_ms: took, since }: BoardWave) {
  const { is_running, gate } = boardState.value;
  // Without a run nothing goes on: the time since is the person's own.
  const isTicking = since !== null && (is_running || gate !== null);
  const ms = took + (isTicking ? clock.value - since : 0);
  const time = stands === 'next' && ms === 0 ? '' : formatElapsed(ms);
  return (
    <li class="wave" data-stands={stands} aria-current={stands === 'now' ? 'step' : undefined}>
      <span class="wave-name">
        <span class="wave-sign" aria-hidden="true">
          {waveSigns[stands]}
        </span>
        {wave}
      </span>
      <span class="wave-time">{ms === 0 && stands === 'done' ? '–' : time}</span>
      <span class="unseen">{stands === 'now' && gate !== null ? 'waits for you' : waveWords[stands]}</span>
    </li>
  );
}

function TaskProgress() {
  const tasks = Object.values(shownTasks.value);
  const counts = countTasks(
    tasks.map(({ status, verdict }) => ({ status: status === 'proposed' ? 'pending' : status, verdict })),
  );
  const [first = '', ...rest] = describeTaskCounts(counts);
  return (
    <div class="figure tasks-figure">
      <dt>Tasks</dt>
      <dd>
        <b>{counts.total === 0 ? 'none yet' : first}</b>
        <Progress {...counts} />
        <span class="quiet">{rest.join(' · ')}</span>
      </dd>
    </div>
  );
}

/** The parts of the whole, as wide as they are many. */
function Progress({ total, done, landed, running, lost }: TaskCounts) {
  const parts = { landed, good: done - landed, works: running, bad: lost };
  return (
    <span class="progress" aria-hidden="true">
      {Object.entries(parts).map(([kind, count]) => (
        <span key={kind} data-kind={kind} style={`width: ${total === 0 ? 0 : (100 * count) / total}%`} />
      ))}
    </span>
  );
}

function Spending(session: BoardSession) {
  const { budget, estimate_usd: estimate } = session;
  const format = budget?.unit === 'tokens' ? formatTokens : formatUsd;
  const isLimited = budget !== null && budget.limit > 0;
  const share = isLimited ? Math.min(1, budget.spent / budget.limit) : 0;
  const look = share >= 1 ? 'bad' : share >= 0.8 ? 'planned' : 'good';
  const estimated = estimate === null ? '' : `estimated ${formatUsd(estimate)}`;
  return (
    <div class="figure">
      <dt>Spent</dt>
      <dd>
        <b>{isLimited ? `${format(budget.spent)} of ${format(budget.limit)}` : formatSpend(session)}</b>
        <span class="progress" aria-hidden="true">
          <span data-kind={look} style={`width: ${100 * share}%`} />
        </span>
        <span class="quiet">{estimated || (budget === null ? 'limit unknown' : isLimited ? '' : 'no limit')}</span>
      </dd>
    </div>
  );
}

/** What each role has spent. */
export function SpendingByRole() {
  const { session, agents, is_running } = boardState.value;
  const spend = session?.spend ?? [];
  if (spend.length === 0) return null;
  const running = agents.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return (
    <>
      <h2 id="spent-title">Spent by role</h2>
      <dl class="spent">
        {spend.map(({ role, runs, cost_usd }) => (
          <div key={role}>
            <dt>{`${role} × ${runs}`}</dt>
            <dd>{formatUsd(cost_usd)}</dd>
          </div>
        ))}
        {(is_running || running > 0) && (
          <div>
            <dt>running now</dt>
            <dd>{formatUsd(running)}</dd>
          </div>
        )}
      </dl>
    </>
  );
}
