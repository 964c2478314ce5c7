import type { Io } from '../../domain/shown/command.ts';
import { askPreference } from '../../git/process/run-git.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { openPager } from '../../ui/terminal/run-program.ts';

/** A long answer as git shows its own: in the person's pager where there is a terminal, else on stdout. */
export async function showLong(output: Output, io: Io, text: string): Promise<void> {
  if (output.isJson) return;
  if (io.stdout.isTTY !== true) {
    output.result(text);
    return;
  }
  const context = { cwd: io.cwd, env: io.env };
  // With `pager.flame` false, and with --no-pager, git has put cat there.
  await openPager(io, text, { pager: await askPreference(context, ['var', 'GIT_PAGER']) });
}
