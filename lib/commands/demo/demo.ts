import { appendFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, GlobalOptions, Io } from '../../domain/view-models/command.ts';
import { type GitContext, runGit, runGitForText } from '../../git/process/run-git.ts';
import { allowDecisionsInOwnClone } from '../../trust/chat-processes.ts';
import { createOutput, type Output } from '../../ui/terminal/output.ts';
import { programPath } from '../../util/child-programs.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { packageRoot } from '../../util/user-folders.ts';
import { readGitColor } from '../context/git-preferences.ts';
import * as init from '../init/init.ts';
import * as runCommand from '../run.ts';
import * as trust from '../trust/trust.ts';
import { makeDemoRepository } from './demo-repository.ts';

/** `git flame demo`: a whole cycle on a throw-away repository; its agents are scripts, no account and no network. */
export async function run(args: CommandArgs<'demo'>, io: Io): Promise<number> {
  const gitColor = await readGitColor(io, args.globals);
  const output = createOutput(io, args.globals, { gitColor });
  const { dir, keep } = args.options;
  if (args.globals.dryRun) {
    output.result('It would make a repository and run a whole cycle in it, with shell scripts as agents.');
    return 0;
  }
  const folder = dir === null ? await realpath(await mkdtemp(join(tmpdir(), 'git-flame-demo-'))) : resolve(io.cwd, dir);
  const isKept = keep || dir !== null;
  output.info(
    `A throw-away repository in ${folder}. The agents are shell scripts: no model is called, and it costs nothing.\n`,
  );
  try {
    const repo = join(folder, 'greeter');
    const context = await makeDemoRepository(repo, io, { folder, isKept });
    allowDecisionsInOwnClone({ commonDir: join(repo, '.git') });
    const own = { ...io, cwd: repo, env: context.env };
    await prepare(args, own);
    const code = await runCycle(args, own).catch(async (error: unknown) => {
      if (!(error instanceof FlameError) || error.code !== 'no-sandbox') throw error;
      await acceptNoSandbox(args, own, { context, output, error });
      return runCycle(args, own);
    });
    if (!output.isJson) await showResult(context, io, output);
    for (const command of listCommandsAfterDemo(io, isKept ? repo : null)) output.hint(command);
    return code;
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

function globalsOf(args: CommandArgs<'demo'>, io: Io): GlobalOptions {
  const decisionsFile = join(io.cwd, '.git', 'demo', 'decisions.yml');
  return { ...args.globals, config: null, dryRun: false, session: null, decisionsFile };
}

async function prepare(args: CommandArgs<'demo'>, io: Io): Promise<void> {
  const globals = { ...globalsOf(args, io), quiet: true, json: false };
  await init.run(
    {
      subcommand: null,
      globals,
      command: 'init',
      positionals: [],
      options: { hooks: false, try: false, uninstall: false, base: null, name: null },
    },
    { ...io, stdout: io.stderr },
  );
}

interface Refused {
  readonly context: GitContext;
  readonly output: Output;
  readonly error: FlameError;
}

/** Its agents are scripts of its own, in a repository that is thrown away: they need no sandbox, others do. */
async function acceptNoSandbox(args: CommandArgs<'demo'>, io: Io, { context, output, error }: Refused): Promise<void> {
  output.warn(`${error.message} The scripts of this demo run without one; your agents would not.`);
  // Why; the run itself says what that leaves open.
  for (const line of error.lines.slice(0, 1)) output.info(`  ${line}`);
  for (const hint of error.hints.slice(0, -1)) output.hint(hint);
  output.info('');
  await appendFile(join(io.cwd, '.blueflame.yml'), 'sandbox: { require: false }\n');
  await runGit(context, ['commit', '--quiet', '--all', '--amend', '--no-edit']);
  const globals = { ...globalsOf(args, io), quiet: true, json: false };
  const asked = {
    subcommand: null,
    globals,
    command: 'trust',
    options: { yes: true },
    positionals: [],
  } as const;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await trust.run(asked, { ...io, stdout: nowhere });
}

function runCycle(args: CommandArgs<'demo'>, io: Io): Promise<number> {
  return runCommand.run(
    {
      subcommand: null,
      globals: globalsOf(args, io),
      command: 'run',
      options: {
        from: join(io.cwd, '.git', 'demo', 'plan.yml'),
        new: false,
        queen: false,
        pr: false,
        remote: null,
        takeOver: false,
        web: false,
        open: false,
        port: null,
        address: null,
      },
      positionals: ['Greet people in three languages'],
    },
    io,
  );
}

/**
 * Lists what to type after a demo, each as it works where the person is: by the program's path where no shell would
 * find it yet, and how to install `git flame`. `kept` is the demo's repository; null: it is gone.
 */
export function listCommandsAfterDemo(
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
async function showResult(context: GitContext, io: Pick<Io, 'stdout'>, output: Output): Promise<void> {
  const show = async (command: string, args: readonly string[]): Promise<void> => {
    output.result(`\n$ ${command}`);
    output.result(await runGitForText(context, args));
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
