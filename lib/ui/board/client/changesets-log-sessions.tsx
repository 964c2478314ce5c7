import type { BoardChangeset } from '../../../domain/view-models/board-view.ts';
import { formatCount, formatNumber } from '../../../util/format-figures.ts';
import { describeSpent } from './board-texts.ts';
import { boardState } from './received-board-state.ts';
import { ForeignText, TimeLabel } from './text-components.tsx';

export function BoardChangesetList() {
  const { changesets } = boardState.value;
  return (
    <>
      <h2 id="sets-title">Changesets</h2>
      <ul id="changesets" class="rows">
        {changesets.map((one) => (
          <li class="row" key={one.id}>
            <ChangesetRow {...one} />
          </li>
        ))}
      </ul>
      {changesets.length === 0 && <p class="quiet">No changesets in this cycle yet.</p>}
    </>
  );
}

function ChangesetRow({ group, state: stands, red, diffstat, tasks, reason, by, try_command }: BoardChangeset) {
  const why = [by === null ? '' : `by ${by}`, reason ?? ''].filter((part) => part !== '').join(': ');
  return (
    <div class="changeset">
      <span class="row-head">
        <b>{group}</b>
        <span class={`badge ${stands}`}>{stands === 'void' ? 'stale' : stands}</span>
        {red && <span class="badge bad">checks fail</span>}
        <span class="row-end">
          <Diffstat {...diffstat} />
        </span>
      </span>
      <span class="row-note quiet">{tasks.join(', ')}</span>
      {why !== '' && <ForeignText class="row-note">{why}</ForeignText>}
      {try_command !== null && (
        <span class="row-note quiet">
          Try it: <code>{try_command}</code>
        </span>
      )}
    </div>
  );
}

/** How large a change is. */
export function Diffstat({ files, insertions, deletions }: BoardChangeset['diffstat']) {
  return (
    <>
      <span class="quiet">{formatCount(files, 'file')}</span>{' '}
      <ChangedLineCounts insertions={insertions} deletions={deletions} />
    </>
  );
}

export function ChangedLineCounts({ insertions, deletions }: Omit<BoardChangeset['diffstat'], 'files'>) {
  return (
    <>
      <span class="plus">{`+${formatNumber(insertions)}`}</span>{' '}
      <span class="minus">{`−${formatNumber(deletions)}`}</span>
    </>
  );
}

export function SessionLogList() {
  return (
    <>
      <h2 id="story-title">Log</h2>
      <ol id="log" class="log" tabIndex={0} aria-labelledby="story-title">
        {boardState.value.log.map(({ at, who, text }) => (
          <li>
            <TimeLabel at={at} />
            <ForeignText class="what">{text}</ForeignText>
            <span class="quiet who" title={who}>
              {who.replace(/ <.*>$/, '')}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

export function SessionChooser({ choose }: { choose(id: string): void }) {
  return (
    <>
      <h2 id="others-title">Sessions</h2>
      <ul id="sessions" class="rows">
        {boardState.value.sessions.map(({ id, title, state: stands, wave, created_at, cost_usd }) => (
          <li class="row" key={id}>
            <button
              type="button"
              class="row-button"
              aria-current={id === boardState.value.session?.id}
              onClick={() => choose(id)}
            >
              <span class="row-head">
                <ForeignText class="row-title">{title}</ForeignText>
                <span class="badge">{stands === 'active' ? wave : stands}</span>
                <TimeLabel at={created_at} class="row-end quiet" />
              </span>
              <span class="row-note quiet">
                {[id, describeSpent({ cost_usd, tokens: 0 })].filter(Boolean).join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
