import { agentIdPattern } from '../domain/ids.ts';
import { noSuchNameError } from '../domain/input-errors.ts';
import type { StateLogEntry, Store } from '../domain/ports/store-port.ts';
import type { Session } from '../domain/state/session-schema.ts';
import type { Task } from '../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { renderLog } from '../ui/render/render-log.ts';
import { showOutputInPager } from './context/git-preferences.ts';
import { takeOperandAsSession, withStore } from './context/open-notes-context.ts';

const defaultCount = 50;

/** `git flame log`: the audit trail, newest first by default; the same commits `git log` shows. */
export function run(args: CommandArgs<'log'>, io: Io): Promise<number> {
  return withStore(takeOperandAsSession(args), io, async ({ store, output, selected }) => {
    const [name = null] = args.positionals;
    const isAbout = (session: Session): boolean => name !== null && name !== session.id;
    const look = await store.readOneSession((sessions) => {
      const session = selected.pick(sessions);
      return session !== null && isAbout(session) ? session.id : null;
    });
    const session = selected.pick(look);
    if (session === null) {
      output.json({ session: null, entries: [] });
      output.info('Nothing has happened yet.');
      return 0;
    }
    const count = args.options.maxCount ?? defaultCount;
    const about = isAbout(session) ? name : null;
    // One more than shown, to know whether there are earlier ones.
    const limit = count + 1;
    const found = await entriesAbout(store, session, { about, tasks: look.tasksOf(session.id), limit });
    const latest = found.slice(0, count);
    const entries = args.options.reverse ? latest.reverse() : latest;
    output.json({ session: session.id, entries });
    await showOutputInPager(output, io, renderLog(entries, output.style));
    if (found.length > count) output.info(`Earlier entries are not shown: -n ${Math.max(10, count * 2)}`);
    return 0;
  });
}

/** Finds entries of a task by trailer, those of an agent or a changeset by its name in the text. */
async function entriesAbout(
  store: Store,
  session: Session,
  { about, tasks, limit }: { readonly about: string | null; readonly tasks: readonly Task[]; readonly limit: number },
): Promise<readonly StateLogEntry[]> {
  if (about === null) return store.log({ session: session.id, limit });
  if (tasks.some(({ id }) => id === about)) return store.log({ session: session.id, task: about, limit });
  const isKnown =
    agentIdPattern.test(about) || session.changesets.some(({ id, group }) => id === about || group === about);
  if (!isKnown)
    throw noSuchNameError(session.id, about, {
      known: [...tasks, ...session.changesets],
      hints: ['git flame status', 'git flame log'],
    });
  const names = [about, ...session.changesets.filter(({ group }) => group === about).map(({ id }) => id)];
  const all = await store.log({ session: session.id });
  return all.filter(({ subject, author }) =>
    names.some((name) => subject.split(/[\s,:]+/).includes(name) || author.startsWith(`${name} `)),
  );
}
