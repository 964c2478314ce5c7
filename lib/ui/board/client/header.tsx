import type { ComponentChild } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { cycleNumber } from '../../../domain/state/session-facts.ts';
import type { BoardSession } from '../../../domain/view-models/board-view.ts';
import { formatTokens, formatUsd } from '../../../util/format-figures.ts';
import { emptyBoardState } from '../board-changes.ts';
import { describeSpent, labelTaskStatus } from './board-texts.ts';
import { boardState, shownTasks } from './received-board-state.ts';
import { ElapsedTime } from './text-components.tsx';

const name = 'git flame board';

/** The session's objective. */
export function ObjectiveTitle() {
  const { session } = boardState.value;
  const lands = session?.lands_on == null ? '' : `, landing on ${session.lands_on}`;
  useLayoutEffect(() => {
    document.title = [session?.title, name].filter(Boolean).join(' · ');
  }, [session]);
  return (
    <>
      <p class="kicker">{session === null ? name : `${session.id} · on ${session.base_branch}${lands}`}</p>
      <h1 id="title" dir="auto" title={session?.objective}>
        {session?.title ?? (boardState.value === emptyBoardState ? 'Loading …' : 'No session yet')}
      </h1>
    </>
  );
}

/** How far it is. */
export function SessionProgressFigures() {
  const { session, run } = boardState.value;
  if (session === null) return null;
  const figures: Readonly<Record<string, readonly [value: ComponentChild, note: string]>> = {
    Wave: [session.state === 'active' ? session.wave : session.state, `cycle ${cycleNumber(session)}`],
    Tasks: tasksDone(),
    Spent: spending(session),
    Age: [<ElapsedTime since={session.created_at} />, run === null ? 'no run in progress' : 'run in progress'],
  };
  return Object.entries(figures).map(([name, [value, note]]) => (
    <div class="figure" key={name}>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        <span class="quiet">{note}</span>
      </dd>
    </div>
  ));
}

function tasksDone(): readonly [string, string] {
  const kinds = Object.values(shownTasks.value)
    .filter(({ status }) => status !== 'dropped')
    .map((task) => labelTaskStatus(task).kind);
  const count = (...wanted: readonly string[]): number => kinds.filter((kind) => wanted.includes(kind)).length;
  const bad = count('bad');
  const note = `${count('works')} working${bad === 0 ? '' : `, ${bad} failed or blocked`}`;
  return [`${count('good', 'landed')} of ${kinds.length}`, kinds.length === 0 ? 'none yet' : note];
}

function spending(session: BoardSession): readonly [string, string] {
  const { budget } = session;
  const all = describeSpent(session) || formatUsd(0);
  if (budget === null) return [all, 'limit unknown'];
  const format = budget.unit === 'usd' ? formatUsd : formatTokens;
  if (budget.limit === 0) return [all, 'no limit'];
  return [format(budget.spent), `of ${format(budget.limit)}`];
}
