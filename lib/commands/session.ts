import { isOpen } from '../core/schedule/next-action.ts';
import { FlameError } from '../domain/flame-error.ts';
import { parseSessionId, sessionIdPattern } from '../domain/ids.ts';
import type { CommandArgs } from '../domain/shown/command-args.ts';
import type { Io } from '../domain/shown/io.ts';
import { type Session, sessionSchema } from '../domain/state/session.ts';
import type { Task } from '../domain/state/task.ts';
import { titleOf } from '../domain/state/title-of.ts';
import { giveUpSession } from '../engine/end-session.ts';
import { renameSession } from '../engine/session/create-session.ts';
import { askEnd } from '../ui/questions/ask-end.ts';
import { hasTerminal } from '../ui/questions/terminal-gates.ts';
import { renderSessions } from '../ui/render/render-sessions.ts';
import { formatCount } from '../util/format-amount.ts';
import { type Opened, withWorkshop } from './open/open-workshop.ts';
import { requireOwn } from './open/own-terminal.ts';
import { type Reading, withState } from './open/read-state.ts';
import { requireAtHand, withSessionLock } from './open/with-session-lock.ts';
import { run as show } from './show/show.ts';

/** `git flame session list|show|rename|end`: the sessions of this repository. */
export function run(args: CommandArgs<'session'>, io: Io): Promise<number> {
  const [operand] = args.positionals;
  switch (args.subcommand) {
    case 'show':
      return showOne(args, io);
    case 'rename':
      return rename(args, io);
    case 'end':
      return end(args, io, operand ?? args.globals.session);
    default:
      return withState(args, io, (reading) => list(reading, args.options.all));
  }
}

async function list({ store, output, meant }: Reading, isAll: boolean): Promise<number> {
  const snapshot = await store.snapshot();
  const archive = snapshot.sessions.some(isArchived) && isAll ? await store.archive() : snapshot;
  const current = meant.pick(snapshot)?.id;
  const listed = snapshot.sessions
    .filter((session) => isAll || !isArchived(session))
    .map((named) => {
      const home = isArchived(named) ? archive : snapshot;
      const session = home.sessions.find(({ id }) => id === named.id) ?? named;
      return { session, tasks: home.tasksOf(named.id), isCurrent: named.id === current };
    })
    .reverse();
  output.json({
    sessions: listed.map(({ session, tasks, isCurrent }) => ({
      ...{ id: session.id, title: titleOf(session), objective: session.objective, state: session.state },
      ...{ is_current: isCurrent, is_archived: isArchived(session) },
      ...{ base_branch: session.base_branch, cycle: session.cycle, wave: session.wave },
      ...{ created_by: session.created_by, created_at: session.created_at, updated_at: session.updated_at },
      ...{ cost_usd: session.cost_usd, tokens: session.tokens, tasks: countByStatus(tasks) },
    })),
  });
  output.result(renderSessions(listed, output.style));
  const archived = snapshot.sessions.filter(isArchived).length;
  if (archived > 0 && !isAll)
    output.info(`${formatCount(archived, 'archived session')} not shown: git flame session list --all`);
  return 0;
}

function isArchived({ archived_at: at }: Session): boolean {
  return at !== undefined;
}

function countByStatus(tasks: readonly Task[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What `git flame show SESSION` shows. */
function showOne(args: CommandArgs<'session'>, io: Io): Promise<number> {
  const session = args.positionals[0] ?? args.globals.session;
  return show(
    {
      ...{
        command: 'show',
        subcommand: null,
        options: { diff: false, interdiff: false, graph: false, format: null },
      },
      ...{ positionals: session === null ? [] : [session], globals: { ...args.globals, session } },
    },
    io,
  );
}

async function rename(args: CommandArgs<'session'>, io: Io): Promise<number> {
  const [words = ''] = args.positionals;
  const [first = '', ...rest] = words.split(' ');
  const isNamed = sessionIdPattern.test(first);
  const name = isNamed ? first : args.globals.session;
  const title = isNamed ? rest.join(' ') : words;
  const parsed = sessionSchema.shape.title.unwrap().safeParse(title.trim());
  if (!parsed.success) throw badTitle(title);
  return withMeant(args, io, name, async (opened, session) => {
    if (!opened.wishes.isDry) await renameSession(opened.workshop, session.id, parsed.data);
    opened.output.json({ session: session.id, title: parsed.data, before: titleOf(session) });
    opened.output.result(`${session.id} ${opened.wishes.isDry ? 'would be' : 'is'} called ${parsed.data}.`);
    return 0;
  });
}

function badTitle(title: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'bad-title',
    message:
      title === ''
        ? 'A title is missing.'
        : 'A title is one line of at most 200 characters, without control characters.',
    hints: ["git flame session rename SESSION 'Login with a password'"],
  });
}

async function end(args: CommandArgs<'session'>, io: Io, name: string | null): Promise<number> {
  return withMeant(args, io, name, async (opened, session) => {
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
    if (!args.options.yes && !(await isMeant(io, opened, { session, left }))) {
      output.info('Nothing was changed.');
      return 1;
    }
    await withSessionLock(opened, session.id, () => giveUpSession(workshop, session.id));
    output.json({ session: session.id, ended: true });
    output.hint(`git flame resume ${session.id}`);
    return 0;
  });
}

/** What nobody will do once it has ended, in sentences. */
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

/** Throws FlameError `needs-word` where no person can be asked. */
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

/** Opens the session that was named, by an operand or --session, else the current one. */
function withMeant(
  args: CommandArgs<'session'>,
  io: Io,
  name: string | null,
  work: (opened: Opened, session: Session) => Promise<number>,
): Promise<number> {
  const session = name === null ? null : parseSessionId(name);
  const meant = { ...args, globals: { ...args.globals, session } };
  return withWorkshop(meant, io, async (opened) => {
    const found = opened.meant.require(await opened.store.snapshot());
    await requireAtHand(opened.store, found.id);
    return work(opened, found);
  });
}
