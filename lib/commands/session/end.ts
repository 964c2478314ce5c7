import { isOpen } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Session } from '../../domain/state/session.ts';
import { titleOf } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import { giveUpSession } from '../../engine/end-session.ts';
import { askEnd } from '../../ui/questions/ask-in-command.ts';
import { hasTerminal } from '../../ui/questions/terminal-gates.ts';
import { formatCount } from '../../util/format-figures.ts';
import type { Opened } from '../open/open-workshop.ts';
import { requireOwn } from '../open/own-terminal.ts';
import { withSessionLock } from '../open/with-session-lock.ts';

/** `git flame session end`, once a person has answered for it. Throws FlameError `needs-word` where none can be asked. */
export async function endByHand(
  opened: Opened,
  io: Io,
  { session, isSure }: { readonly session: Session; readonly isSure: boolean },
): Promise<number> {
  const { workshop, output, wishes } = opened;
  if (session.state === 'ended') {
    output.json({ session: session.id, ended: false });
    output.result(`${session.id} had ended already.`);
    return 0;
  }
  const left = whatIsLeft(session, (await workshop.store.snapshot()).tasksOf(session.id));
  if (wishes.isDry) {
    output.json({ session: session.id, ended: false });
    output.result([`${session.id} would end.`, ...left].join('\n'));
    return 0;
  }
  requireOwn('Whether a session ends', opened.git.repository, io);
  if (!isSure && !(await isMeant(io, opened, { session, left }))) {
    output.info('Nothing was changed.');
    return 1;
  }
  await withSessionLock(opened, session.id, () => giveUpSession(workshop, session.id));
  output.json({ session: session.id, ended: true });
  output.hint(`git flame resume ${session.id}`);
  return 0;
}

/** Lists what will not be done after the end, in sentences. */
function whatIsLeft({ changesets }: Session, tasks: readonly Task[]): readonly string[] {
  const open = tasks.filter(isOpen).length;
  const waiting = changesets.filter(({ state }) => state === 'waiting').length;
  return [
    ...(open === 0 ? [] : [`${formatCount(open, 'task')} of it will not be worked on.`]),
    ...(waiting === 0 ? [] : [`${formatCount(waiting, 'changeset')} waiting for review will not land.`]),
    'Its branches, worktrees and notes stay.',
  ];
}

interface Ending {
  readonly session: Session;
  readonly left: readonly string[];
}

async function isMeant(io: Io, { output }: Opened, { session, left }: Ending): Promise<boolean> {
  const onEnd = (): FlameError =>
    new FlameError({
      kind: 'waiting',
      code: 'needs-word',
      message: `Whether session ${session.id} is to end is a person's word.`,
      hints: [`git flame session end ${session.id} --yes`],
    });
  if (!hasTerminal(io)) throw onEnd();
  return askEnd(io, { title: `${session.id}: ${titleOf(session)}`, left, style: output.style, onEnd });
}
