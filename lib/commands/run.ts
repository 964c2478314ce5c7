import { FlameError } from '../domain/flame-error.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { requireAdapterThatCanLead } from '../engine/lead-agent/run-lead-agent.ts';
import { runWithOwnBoard } from './board/board.ts';
import { findRemoteLedThrough, leadSharedSession } from './machines/lead-shared-session.ts';
import { previewPlan, runFromStartRequest } from './plan/run-from-start-request.ts';
import { readStartRequest } from './plan/start-request.ts';
import { withRunContext } from './run-context/open-run-context.ts';
import { continueSession } from './run-loop/continue-session.ts';

/** `git flame run`: the whole loop, from the objective to what landed; continues where it stopped. */
export function run(args: CommandArgs<'run'>, io: Io): Promise<number> {
  const wish = readStartRequest(args);
  const { takeOver: takesOver, queen: isLed, remote: named } = args.options;
  if (isLed && named !== null) throw ledTwice();
  return withRunContext(args, io, async (opened) => {
    if (opened.commandLine.isDry) return previewPlan(opened, wish, io);
    if (isLed) requireAdapterThatCanLead(opened.context);
    const remote = named ?? (await findRemoteLedThrough(opened, wish));
    if (remote !== null && isLed) throw ledTwice();
    if (remote !== null)
      return runWithOwnBoard(opened, io, () => leadSharedSession(opened, io, { wish, remote, takesOver }));
    // The protocol is loaded for who has a model lead alone.
    const leadTools = isLed ? (await import('./mcp/run-host.ts')).openLeadToolsInRun : null;
    return runWithOwnBoard(opened, io, () =>
      runFromStartRequest(opened, wish, io, (start) => continueSession(opened, io, start, leadTools)),
    );
  });
}

/** Tasks that a model assigns are known to one process alone. */
function ledTwice(): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'queen-remote',
    message: "A model can't lead a session that other machines work on: --queen and --remote exclude each other.",
    hints: ['git flame run --queen OBJECTIVE', 'git flame run --remote REMOTE OBJECTIVE'],
  });
}
