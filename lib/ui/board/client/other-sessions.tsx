import { signal } from '@preact/signals';
import type { MachineSession } from '../../../domain/view-models/machine-sessions-view.ts';
import { getJson } from '../../page/client/server-requests.ts';
import { CommandToCopy, ElapsedTime, ForeignText } from './text-components.tsx';

const lookMs = 60_000;

/** The person's sessions in other repositories. */
const others = signal<readonly MachineSession[]>([]);

async function look(): Promise<void> {
  if (document.visibilityState === 'hidden') return;
  // That the board has ended its own connection reports.
  const answer = await getJson<{ readonly sessions: readonly MachineSession[] }>('/api/other-sessions').catch(
    () => null,
  );
  if (answer !== null) others.value = answer.sessions;
}

void look();
setInterval(() => void look(), lookMs);
document.addEventListener('visibilitychange', () => void look());

/** What waits elsewhere on this machine, first; each leads to its board, or has its command to copy. */
export function OtherSessions() {
  if (others.value.length === 0) return null;
  const waiting = others.value.filter(({ standing }) => standing === 'waits').length;
  return (
    <>
      <h2 id="other-sessions-title">
        Other repositories{waiting === 0 ? '' : ` · ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you`}
      </h2>
      <ul class="rows">
        {others.value.map((one) => (
          <li class="row" key={`${one.repository} ${one.id}`}>
            <OtherSession {...one} />
          </li>
        ))}
      </ul>
    </>
  );
}

const labels = { waits: 'waits for you', paused: 'paused', running: 'running' } as const;

function OtherSession({ repository, id, title, standing, waits, tasks, since, next, board }: MachineSession) {
  const done = tasks.all === 0 ? 'no tasks yet' : `${tasks.landed} of ${tasks.all} landed`;
  return (
    <div class={`other ${standing}`}>
      <span class="row-head">
        {board === undefined ? (
          <ForeignText class="row-title">{title}</ForeignText>
        ) : (
          <a class="row-title" dir="auto" href={`${board}#session=${id}`}>
            {title}
          </a>
        )}
        <span class="badge">{labels[standing]}</span>
        <ElapsedTime since={since} class="row-end quiet" />
      </span>
      <ForeignText class="row-note">{waits.length === 0 ? done : waits.join('; ')}</ForeignText>
      <ForeignText class="row-note quiet">{repository}</ForeignText>
      {board === undefined && <CommandToCopy command={next} />}
    </div>
  );
}
