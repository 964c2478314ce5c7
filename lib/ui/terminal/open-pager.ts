import type { Io } from '../../domain/shown/command.ts';
import { runProgram } from './run-program.ts';

interface PagerOptions {
  /** Output of `git var GIT_PAGER`. */
  readonly pager: string;
  /** Where text goes when there is nothing to page on; stdout by default. */
  readonly elsewhere?: NodeJS.WritableStream;
}

/** Shows text in the person's pager where stdout is a terminal and git isn't paging already; else writes it. */
export async function openPager(io: Io, text: string, options: PagerOptions): Promise<void> {
  const pager = options.pager.trim();
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  const isPaged = io.stdout.isTTY === true && io.env.GIT_PAGER_IN_USE !== 'true';
  if (!isPaged || pager === '' || pager === 'cat') {
    const target = io.stdout.isTTY === true ? io.stdout : (options.elsewhere ?? io.stdout);
    target.write(whole);
    return;
  }
  // The same defaults git gives its pager: end at once when it all fits, keep colours, leave the screen.
  const env = { LESS: io.env.LESS ?? 'FRX', LV: io.env.LV ?? '-c' };
  const exitCode = await runProgram(io, pager, { input: whole, env });
  // 127: the shell found no such program.
  if (exitCode === 127) io.stdout.write(whole);
}
