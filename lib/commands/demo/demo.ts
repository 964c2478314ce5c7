import { appendFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, GlobalOptions, Io } from '../../domain/shown/command.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';
import { decideFreely } from '../../trust/chats.ts';
import { createOutput, type Output } from '../../ui/terminal/output.ts';
import * as init from '../init/init.ts';
import { readGitColor } from '../open/git-color.ts';
import * as runCommand from '../run.ts';
import * as trust from '../trust/trust.ts';
import { afterTheDemo, showResult } from './after-the-demo.ts';
import { makeDemoRepository } from './demo-repository.ts';

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
    const context = await makeDemoRepository(repo, io, folder);
    decideFreely({ commonDir: join(repo, '.git') });
    const own = { ...io, cwd: repo, env: context.env };
    await prepare(args, own);
    const code = await runCycle(args, own).catch(async (error: unknown) => {
      if (!(error instanceof FlameError) || error.code !== 'no-sandbox') throw error;
      await acceptNoSandbox(args, own, { context, output, error });
      return runCycle(args, own);
    });
    if (!output.isJson) await showResult(context, io, output);
    for (const command of afterTheDemo(io, isKept ? repo : null)) output.hint(command);
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
async function acceptNoSandbox(
  args: CommandArgs<'demo'>,
  io: Io,
  { context, output, error }: Refused,
): Promise<void> {
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
