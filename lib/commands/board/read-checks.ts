import {
  type EndedCommand,
  readEndedCommands,
  readRunningCommands,
} from '../../cell/run/running-commands.ts';
import type { BoardCheck, BoardEndedCheck } from '../../domain/shown/board.ts';
import { askedCheck } from '../../ui/questions/about-validation.ts';

const longestOutput = 2_000;

/** The diagnostics and setup commands that run on this machine, for a session or for none in particular. */
export function readChecks(commonDir: string, session: string): readonly BoardCheck[] {
  return readRunningCommands(commonDir)
    .filter((one) => one.session === null || one.session === session)
    .map(({ id, command, phase, about, started_at, output, before }) => ({
      id,
      command,
      started_at,
      about: aboutOf(about, phase),
      output: output.slice(-longestOutput),
      before: before.map((one) => {
        const { result, is_good } = askedCheck({ ...one, output: '' });
        return { command: one.command, result, is_good, took_ms: one.duration_ms };
      }),
    }));
}

const mostEnded = 8;

/** Reads a session's checks that have ended, the newest first. */
export function readEndedChecks(commonDir: string, session: string): readonly BoardEndedCheck[] {
  return readEndedCommands(commonDir)
    .filter((one) => one.session === session)
    .slice(0, mostEnded)
    .map(({ id, command, phase, about, ended_at, run }) => {
      const { result, is_good } = askedCheck({ ...run, output: '' });
      return {
        id,
        command,
        about: aboutOf(about, phase),
        ended_at,
        result,
        is_good,
        took_ms: run.duration_ms,
      };
    });
}

function aboutOf(about: string, phase: EndedCommand['phase']): string {
  if (about !== '') return about;
  return phase === 'setup' ? 'a worktree is prepared' : 'what was made';
}
