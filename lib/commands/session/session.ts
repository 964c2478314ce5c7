import { parseSessionId } from '../../domain/ids.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Session } from '../../domain/state/session.ts';
import { type Opened, withWorkshop } from '../open/open-workshop.ts';
import { withState } from '../open/read-state.ts';
import { requireAtHand } from '../open/with-session-lock.ts';
import { run as show } from '../show/show.ts';
import { endByHand } from './end.ts';
import { listSessions } from './list.ts';
import { parseRename, rename } from './rename.ts';

/** `git flame session list|show|rename|end`: the sessions of this repository. */
export async function run(args: CommandArgs<'session'>, io: Io): Promise<number> {
  const named = args.positionals[0] ?? args.globals.session;
  switch (args.subcommand) {
    case 'show':
      return show(showing(args, named), io);
    case 'rename': {
      const { session, title } = parseRename(args);
      return withMeant(args, io, session, (opened, found) => rename(opened, found, title));
    }
    case 'end':
      return withMeant(args, io, named, (opened, found) =>
        endByHand(opened, io, { session: found, isSure: args.options.yes }),
      );
    default:
      return withState(args, io, (reading) => listSessions(reading, args.options.all));
  }
}

/** Arguments of `git flame show SESSION`. */
function showing({ globals }: CommandArgs<'session'>, session: string | null): CommandArgs<'show'> {
  return {
    command: 'show',
    subcommand: null,
    globals: { ...globals, session },
    options: { diff: false, interdiff: false, graph: false, format: null },
    positionals: session === null ? [] : [session],
  };
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
