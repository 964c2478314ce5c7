import { changesetStateWords } from '../../../domain/state/changeset-facts.ts';
import type { BoardChangeset, BoardLogLine } from '../../../domain/view-models/board-view.ts';
import { formatCount, formatNumber } from '../../../util/format-figures.ts';
import { describeSpent } from './board-texts.ts';
import { boardState, openTaskPanel, titleOf } from './received-board-state.ts';
import { addressOfReview, hasReview } from './review-address.ts';
import { CommandToCopy, ForeignText, TimeLabel } from './text-components.tsx';

export function BoardChangesetList() {
  const { changesets } = boardState.value;
  if (changesets.length === 0) return null;
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
    </>
  );
}

function ChangesetRow({ id, group, state: stands, red, diffstat, tasks, reason, by, try_command }: BoardChangeset) {
  const why = [by === null ? '' : `by ${by}`, reason ?? ''].filter((part) => part !== '').join(': ');
  return (
    <div class="changeset">
      <span class="row-head">
        {hasReview ? (
          <a class="review-link" href={addressOfReview(id)} target="flame-review">
            {group}
          </a>
        ) : (
          <b>{group}</b>
        )}
        <span class={`badge ${stands}`}>{changesetStateWords[stands]}</span>
        {red && <span class="badge bad">checks fail</span>}
        <span class="row-end">
          <Diffstat {...diffstat} />
        </span>
      </span>
      <ForeignText class="row-note quiet">{tasks.map(titleOf).join(' · ')}</ForeignText>
      {why !== '' && <ForeignText class="row-note">{why}</ForeignText>}
      {try_command !== null && (
        <span class="row-note quiet">
          Try it <CommandToCopy command={try_command} />
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

/** What happened, the newest first. */
export function SessionLogList() {
  const { log } = boardState.value;
  if (log.length === 0) return null;
  // One person alone need not be named on each line.
  const isOne = new Set(log.map(({ who }) => who).filter(Boolean)).size < 2;
  return (
    <>
      <h2 id="story-title">Log</h2>
      <ol id="log" class="log" tabIndex={0} aria-labelledby="story-title">
        {log.map((line) => (
          <LogLine key={`${line.at} ${line.task} ${line.text}`} {...line} who={isOne ? '' : line.who} />
        ))}
      </ol>
    </>
  );
}

function LogLine({ at, who, task, text }: BoardLogLine) {
  const title = task === null ? null : titleOf(task);
  return (
    <li>
      <TimeLabel at={at} />
      <span class="what">
        {task !== null && (
          <button type="button" class="link" title={task} onClick={() => openTaskPanel(task)}>
            <ForeignText>{title}</ForeignText>
          </button>
        )}
        <ForeignText class="log-text">{text}</ForeignText>
        {who !== '' && <span class="quiet">{` · ${who}`}</span>}
      </span>
    </li>
  );
}

/** The other sessions; with one alone there is nothing to choose. */
export function SessionChooser({ choose }: { choose(id: string): void }) {
  const { sessions } = boardState.value;
  if (sessions.length < 2) return null;
  return (
    <details>
      <summary>
        <h2 id="others-title">{`${sessions.length} sessions`}</h2>
      </summary>
      <ul id="sessions" class="rows">
        {sessions.map(({ id, title, state: stands, wave, created_at, cost_usd }) => (
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
    </details>
  );
}
