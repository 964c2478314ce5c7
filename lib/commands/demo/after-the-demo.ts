import { delimiter, isAbsolute, join, relative } from 'node:path';
import type { Io } from '../../domain/shown/command.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { packageRoot } from '../../util/own-folders.ts';
import { programPath } from '../../util/programs.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/**
 * Lists what to type after a demo, each as it works where the person is: by the program's path where no shell would
 * find it yet, and how to install `git flame`. `kept` is the demo's repository; null: it is gone.
 */
export function afterTheDemo(
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  kept: string | null,
  root = packageRoot(),
): readonly string[] {
  // npm starts a script in its own folder, wherever it was typed.
  const here = env.npm_lifecycle_event === undefined ? cwd : (env.INIT_CWD ?? cwd);
  // npx has put the folder in front of PATH in which it is for this once.
  const lasting = (env.PATH ?? '').split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  const isFound = isAbsolute(programPath('git-flame', lasting.join(delimiter)));
  const isOnce = !isFound && env.npm_command === 'exec';
  const program = join(root, 'bin', 'git-flame');
  const typed = (folder: string): string =>
    isFound ? 'git flame' : isOnce ? 'npx git-flame' : `node ${shellQuote(shortest(folder, program))}`;
  return [
    kept === null ? `${typed(here)} demo --keep` : `cd ${shellQuote(kept)} && ${typed(kept)} status`,
    ...(isFound
      ? []
      : isOnce
        ? ['npm install --global git-flame']
        : [here === root ? 'npm link' : `(cd ${shellQuote(root)} && npm link)`]),
    'cd your-repository && git flame init',
    "git flame run 'What you want done'",
  ];
}

/** Shows what has landed, and what the notes say of it. */
export async function showResult(context: GitContext, io: Pick<Io, 'stdout'>, output: Output): Promise<void> {
  const show = async (command: string, args: readonly string[]): Promise<void> => {
    output.result(`\n$ ${command}`);
    output.result(await gitText(context, args));
  };
  await show('git log --graph --oneline main', ['log', '--graph', '--oneline', 'main']);
  await show('git log -1 main', ['log', '-1', 'main']);
  await show('git log --oneline refs/blueflame/tasks', ['log', '--oneline', 'refs/blueflame/tasks']);
  io.stdout.write('\n');
}

function shortest(folder: string, file: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
}
