import { contradictingOptionsError } from '../../domain/input-errors.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { renderMachineSessions } from '../../ui/render/render-machine-sessions.ts';
import { createOutput } from '../../ui/terminal/output.ts';
import { readGitColor } from '../context/git-preferences.ts';
import { gatherMachineSessions } from './gather-machine-sessions.ts';

/** `git flame status --all`, in a repository or outside. Throws FlameError `contradiction`. */
export async function showMachineSessions({ globals }: CommandArgs<'status'>, io: Io): Promise<number> {
  if (globals.session !== null)
    throw contradictingOptionsError('--all is about every session, --session about one.', [
      'git flame status --all',
      `git flame status --session ${globals.session}`,
    ]);
  const color = readGitColor(io, globals).catch(() => null);
  const view = await gatherMachineSessions(io);
  const output = createOutput(io, globals, { gitColor: await color });
  output.json(view);
  const { HOME: home = '' } = io.env;
  output.result(renderMachineSessions(view, output.style, { now: new Date(), home }));
  return 0;
}
