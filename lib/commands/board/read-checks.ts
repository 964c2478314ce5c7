import { readRunningCommands } from '../../cell/run/running-commands.ts';
import type { BoardCheck } from '../../domain/shown/board.ts';
import { askedCheck } from '../../ui/desk/ask-about-validation.ts';

const longestOutput = 2_000;

/** The diagnostics and setup commands that run on this machine, for a session or for none in particular. */
export function readChecks(commonDir: string, session: string): readonly BoardCheck[] {
  return readRunningCommands(commonDir)
    .filter((one) => one.session === null || one.session === session)
    .map(({ id, command, phase, about, started_at, output, before }) => ({
      ...{ id, command, started_at },
      about: about === '' ? (phase === 'setup' ? 'a worktree is prepared' : 'what was made') : about,
      output: output.slice(-longestOutput),
      before: before.map((one) => {
        const { result, is_good } = askedCheck({ ...one, output: '' });
        return { command: one.command, result, is_good, took_ms: one.duration_ms };
      }),
    }));
}
