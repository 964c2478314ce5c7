import { randomName } from '../../util/short-names.ts';
import { makeRunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { commandEnvironment, prepareCell } from '../sandbox/prepare-cell.ts';
import { spawnCell } from '../sandbox/spawn-cell.ts';
import { tailBuffer } from '../tail-buffer.ts';
import { programFiles } from './resolve-command.ts';

/** How long it is waited for, in milliseconds. */
export const programPatienceMs = 20_000;
/** A catalog of models is less than a megabyte. */
const longestOutput = 8 * 1024 * 1024;

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended because it did not end by itself. */
  readonly timedOut: boolean;
}

/** Runs an adapter's program, as resolveCommand found it, in a cell of its own without any network. Throws nothing of its own. */
export async function askProgram(
  context: RunnerContext,
  command: readonly string[],
  args: readonly string[],
): Promise<Said> {
  const sandbox = await context.sandbox();
  const name = randomName('check');
  const folder = makeRunFolder(context.repository.commonDir, name);
  const [stdout, stderr] = [tailBuffer(longestOutput), tailBuffer(16_384)];
  try {
    const cell = spawnCell({
      sandbox,
      profile: prepareCell(context, {
        folder,
        place: { path: folder.home, quarantine: null },
        isReadOnly: false,
        isInteractive: false,
        programs: programFiles(command),
        mounts: [],
        env: commandEnvironment(context, folder),
        author: { name, email: 'check@localhost' },
      }),
      limits: context.limits,
      argv: [...command, ...args],
      stdin: null,
      mark: name,
      opensOutput: false,
      onStdout: stdout.push,
      onStderr: stderr.push,
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void cell.stop(0);
    }, programPatienceMs);
    await cell.ended;
    clearTimeout(timer);
    return { stdout: stdout.text(), stderr: stderr.text(), timedOut };
  } finally {
    await folder.remove();
  }
}
