import type { CommandArgs } from '../domain/command-args.ts';
import type { Io } from '../domain/io.ts';
import { renderLog } from '../ui/render-log.ts';
import { pickSession, withState } from './wiring/read-state.ts';

const defaultCount = 50;

/** `git flame log`: the audit trail, newest first; the same commits `git log` shows. */
export function run(args: CommandArgs<'log'>, io: Io): Promise<number> {
  return withState(args, io, async ({ store, output }) => {
    const session = pickSession(await store.snapshot(), args);
    if (session === null) {
      output.json([]);
      output.info('Nothing has happened yet.');
      return 0;
    }
    const [task] = args.positionals;
    const limit = args.options.maxCount ?? defaultCount;
    const entries = await store.log({ session: session.id, limit, ...(task === undefined ? {} : { task }) });
    output.json(entries);
    output.result(renderLog(entries, output.style));
    return 0;
  });
}
