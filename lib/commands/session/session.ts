import { isTaskOpen } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { parseSessionId, sessionIdPattern } from '../../domain/ids.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import { type Session, sessionSchema } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { giveUpSessionByPerson } from '../../engine/end-session.ts';
import { renameSession } from '../../engine/session/create-session.ts';
import { askToEndSession } from '../../ui/questions/ask-in-command.ts';
import { hasTerminal } from '../../ui/questions/terminal-gates.ts';
import { renderSessions } from '../../ui/render/render-session.ts';
import { formatCount } from '../../util/format-figures.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { requireNotArchived, withSessionLock } from '../context/session-lock.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import { run as show } from '../show/show.ts';

/** `git flame session list|show|rename|end`: the sessions of this repository. */
export async function run(args: CommandArgs<'session'>, io: Io): Promise<number> {
  const named = args.positionals[0] ?? args.globals.session;
  switch (args.subcommand) {
    case 'show':
      return show(showArgs(args, named), io);
    case 'rename': {
      const { session, title } = parseRename(args);
      return withSelectedSession(args, io, session, (opened, found) => rename(opened, found, title));
    }
    case 'end':
      return withSelectedSession(args, io, named, (opened, found) =>
        endByHand(opened, io, { session: found, isSure: args.options.yes }),
      );
    default:
      return withRepositoryState(args, io, (reading) => listSessions(reading, args.options.all));
  }
}

/** Arguments of `git flame show SESSION`. */
function showArgs({ globals }: CommandArgs<'session'>, session: string | null): CommandArgs<'show'> {
  return {
    command: 'show',
    subcommand: null,
    globals: { ...globals, session },
    options: { diff: false, interdiff: false, graph: false },
    positionals: session === null ? [] : [session],
  };
}

/** Opens the session that was named, by an operand or --session, else the current one. */
function withSelectedSession(
  args: CommandArgs<'session'>,
  io: Io,
  name: string | null,
  work: (opened: CommandContext, session: Session) => Promise<number>,
): Promise<number> {
  const session = name === null ? null : parseSessionId(name);
  const selected = { ...args, globals: { ...args.globals, session } };
  return withRunContext(selected, io, async (opened) => {
    const found = opened.selected.require(await opened.store.snapshot());
    await requireNotArchived(opened.store, found.id);
    return work(opened, found);
  });
}

/** `git flame session end`, once a person has answered for it. Throws FlameError `needs-word` where none can be asked. */
async function endByHand(
  opened: CommandContext,
  io: Io,
  { session, isSure }: { readonly session: Session; readonly isSure: boolean },
): Promise<number> {
  const { context, output, commandLine } = opened;
  if (session.state === 'ended') {
    output.json({ session: session.id, ended: false });
    output.result(`${session.id} has already ended.`);
    return 0;
  }
  const left = whatIsLeft(session, (await context.store.snapshot()).tasksOf(session.id));
  if (commandLine.isDry) {
    output.json({ session: session.id, ended: false });
    output.result([`${session.id} would end.`, ...left].join('\n'));
    return 0;
  }
  requireTypedByPerson('Whether a session ends', opened.git.repository, io);
  if (!isSure && !(await confirmEnd(io, opened, { session, left }))) {
    output.info('Nothing was changed.');
    return 1;
  }
  await withSessionLock(opened, session.id, () => giveUpSessionByPerson(context, session.id));
  output.json({ session: session.id, ended: true });
  output.hint(`git flame resume ${session.id}`);
  return 0;
}

/** Lists what will not be done after the end, in sentences. */
function whatIsLeft({ changesets }: Session, tasks: readonly Task[]): readonly string[] {
  const open = tasks.filter(isTaskOpen).length;
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

async function confirmEnd(io: Io, { output }: CommandContext, { session, left }: Ending): Promise<boolean> {
  const onEnd = (): FlameError =>
    new FlameError({
      kind: 'waiting',
      code: 'needs-word',
      message: `Only a person can end session ${session.id}.`,
      hints: [`git flame session end ${session.id} --yes`],
    });
  if (!hasTerminal(io)) throw onEnd();
  return askToEndSession(io, {
    title: `${session.id}: ${deriveSessionTitle(session)}`,
    left,
    style: output.style,
    onEnd,
  });
}

/** `git flame session list`: the newest first; archived ones with --all alone. */
async function listSessions(
  { store, output, selected }: Pick<ReadContext, 'store' | 'output' | 'selected'>,
  isAll: boolean,
): Promise<number> {
  const snapshot = await store.snapshot();
  const archived = snapshot.sessions.filter(isArchived).length;
  const archive = archived > 0 && isAll ? await store.archive() : snapshot;
  const current = selected.pick(snapshot)?.id;
  const listed = snapshot.sessions
    .filter((session) => isAll || !isArchived(session))
    .map((named) => {
      const home = isArchived(named) ? archive : snapshot;
      const session = home.sessions.find(({ id }) => id === named.id) ?? named;
      return { session, tasks: home.tasksOf(named.id), isCurrent: named.id === current };
    })
    .reverse();
  output.json({ sessions: listed.map(toJson) });
  output.result(renderSessions(listed, output.style));
  if (archived > 0 && !isAll)
    output.info(`${formatCount(archived, 'archived session')} not shown: git flame session list --all`);
  return 0;
}

interface Listed {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly isCurrent: boolean;
}

function toJson({ session, tasks, isCurrent }: Listed): object {
  return {
    id: session.id,
    title: deriveSessionTitle(session),
    objective: session.objective,
    state: session.state,
    is_current: isCurrent,
    is_archived: isArchived(session),
    base_branch: session.base_branch,
    cycle: session.cycle,
    wave: session.wave,
    created_by: session.created_by,
    created_at: session.created_at,
    updated_at: session.updated_at,
    cost_usd: session.cost_usd,
    tokens: session.tokens,
    tasks: countByStatus(tasks),
  };
}

function isArchived({ archived_at: at }: Session): boolean {
  return at !== undefined;
}

function countByStatus(tasks: readonly Task[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

interface Rename {
  /** null: the current one. */
  readonly session: string | null;
  readonly title: string;
}

/** `[SESSION] TITLE`. Throws FlameError `bad-title`. */
function parseRename({ positionals, globals }: CommandArgs<'session'>): Rename {
  const [words = ''] = positionals;
  const [first = '', ...rest] = words.split(' ');
  const isNamed = sessionIdPattern.test(first);
  const title = isNamed ? rest.join(' ') : words;
  const parsed = sessionSchema.shape.title.unwrap().safeParse(title.trim());
  if (!parsed.success) throw badTitle(title);
  return { session: isNamed ? first : globals.session, title: parsed.data };
}

/** `git flame session rename`: the title that lists and pages show. */
async function rename(
  { context, output, commandLine: { isDry } }: CommandContext,
  session: Session,
  title: string,
): Promise<number> {
  if (!isDry) await renameSession(context, session.id, title);
  output.json({ session: session.id, title, before: deriveSessionTitle(session) });
  output.result(`${session.id} ${isDry ? 'would be' : 'is'} called ${title}.`);
  return 0;
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
