import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CommandArgs, GlobalOptions } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { type GitContext, gitText, runGit } from '../../git/process/run-git.ts';
import { decideFreely } from '../../trust/chats.ts';
import { createOutput } from '../../ui/terminal/output.ts';
import { makeFolders } from '../../util/make-folders.ts';
import * as init from '../init/init.ts';
import { readGitColor } from '../open/git-color.ts';
import * as runCommand from '../run.ts';
import { afterTheDemo } from './after-the-demo.ts';
import { demoConfig, demoDecisions, demoFiles, demoPlan } from './demo-project.ts';

/** `git flame demo`: a whole cycle on a throw-away repository; its agents are scripts, no account and no network. */
export async function run(args: CommandArgs<'demo'>, io: Io): Promise<number> {
  const gitColor = await readGitColor(io, args.globals);
  const output = createOutput(io, args.globals, { gitColor });
  const { dir, keep } = args.options;
  if (args.globals.dryRun) {
    output.result('A repository would be made, and a whole cycle run in it with shell scripts as agents.');
    return 0;
  }
  const folder =
    dir === null ? await realpath(await mkdtemp(join(tmpdir(), 'git-flame-demo-'))) : resolve(io.cwd, dir);
  const isKept = keep || dir !== null;
  output.info(
    `A throw-away repository in ${folder}. The agents are shell scripts: no model is asked and nothing is paid.\n`,
  );
  try {
    const repo = join(folder, 'greeter');
    const context = await makeRepository(repo, io);
    decideFreely({ commonDir: join(repo, '.git') });
    const code = await runCycle(args, { ...io, cwd: repo, env: context.env });
    if (!output.isJson) await showResult(context, io, output);
    for (const command of afterTheDemo(io, isKept ? repo : null)) output.hint(command);
    return code;
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

async function makeRepository(repo: string, io: Io): Promise<GitContext> {
  makeFolders(repo);
  const context = { cwd: repo, env: await withIdentity(io) };
  await runGit(context, ['init', '--quiet', '--initial-branch=main']);
  for (const [path, text] of Object.entries({ ...demoFiles, '.blueflame.yml': demoConfig }))
    await writeFile(join(repo, path), text);
  await runGit(context, ['add', '--all']);
  await runGit(context, ['commit', '--quiet', '--message', 'A greeter that greets nobody yet']);
  const folder = join(repo, '.git', 'demo');
  makeFolders(folder);
  await writeFile(join(folder, 'plan.yml'), demoPlan);
  await writeFile(join(folder, 'decisions.yml'), demoDecisions);
  return context;
}

/** A machine without a git identity can run the demo all the same. */
async function withIdentity(io: Io): Promise<Io['env']> {
  const known = await gitText({ cwd: tmpdir(), env: io.env }, ['config', '--get', 'user.email'], {
    accept: [0, 1],
  });
  if (known !== '' || io.env.GIT_AUTHOR_EMAIL !== undefined) return io.env;
  const [name, email] = ['Demo Lead', 'demo@example.com'];
  return {
    ...io.env,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

async function runCycle(args: CommandArgs<'demo'>, io: Io): Promise<number> {
  const folder = join(io.cwd, '.git', 'demo');
  const globals: GlobalOptions = {
    ...args.globals,
    config: null,
    dryRun: false,
    session: null,
    decisionsFile: join(folder, 'decisions.yml'),
  };
  const common = { subcommand: null, globals } as const;
  const quiet = { ...globals, quiet: true, json: false };
  await init.run(
    {
      ...common,
      globals: quiet,
      command: 'init',
      options: { hooks: false, try: false, uninstall: false, base: null, name: null },
      positionals: [],
    },
    { ...io, stdout: io.stderr },
  );
  return runCommand.run(
    {
      ...common,
      command: 'run',
      options: {
        from: join(folder, 'plan.yml'),
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

async function showResult(
  context: GitContext,
  io: Io,
  output: ReturnType<typeof createOutput>,
): Promise<void> {
  const show = async (command: string, args: readonly string[]): Promise<void> => {
    output.result(`\n$ ${command}`);
    output.result(await gitText(context, args));
  };
  await show('git log --graph --oneline main', ['log', '--graph', '--oneline', 'main']);
  await show('git log -1 main', ['log', '-1', 'main']);
  await show('git log --oneline refs/blueflame/tasks', ['log', '--oneline', 'refs/blueflame/tasks']);
  io.stdout.write('\n');
}
