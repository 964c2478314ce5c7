import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { findConfigFile } from '../config/find-config-file.ts';
import type { CommandArgs } from '../domain/command-args.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { Io } from '../domain/io.ts';
import { prepareRepository } from '../git/prepare-repository.ts';
import { readConfig, requireWorkTree } from './wiring/open-workshop.ts';
import { type Reading, withState } from './wiring/read-state.ts';

/** `git flame init`: prepares a repository; what exists already is left as it is. */
export function run(args: CommandArgs<'init'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    const root = requireWorkTree(reading.git);
    const { head, git } = { head: await reading.git.head(root), git: reading.git };
    const base = args.options.base ?? head.branch;
    if (args.options.base !== null && (await git.resolveCommit(`refs/heads/${args.options.base}`)) === null)
      throw noBranch(args.options.base);
    const written = await prepare(reading, { root, base, name: args.options.name }, args, io);
    reading.output.json({ root, written });
    reading.output.result(
      written.length === 0
        ? 'Everything is in place already.'
        : [args.globals.dryRun ? 'Would write:' : 'Written:', ...written.map((line) => `  ${line}`)].join(
            '\n',
          ),
    );
    if (head.commit === null) reading.output.hint('git commit --allow-empty -m "initial commit"');
    reading.output.hint("git flame run 'What you want done'");
    return 0;
  });
}

interface Wanted {
  readonly root: string;
  readonly base: string | null;
  readonly name: string | null;
}

async function prepare(
  { git }: Reading,
  wanted: Wanted,
  args: CommandArgs<'init'>,
  io: Io,
): Promise<readonly string[]> {
  const { dryRun } = args.globals;
  const config = await writeConfig(wanted, dryRun);
  const { config: loaded } = await readConfig(args, io, wanted.root);
  const context = { cwd: wanted.root, env: io.env };
  return [
    ...config,
    ...(await prepareRepository(context, git.repository.commonDir, loaded.project.worktree_dir, { dryRun })),
  ];
}

async function writeConfig({ root, base, name }: Wanted, dryRun: boolean): Promise<readonly string[]> {
  if ((await findConfigFile(root)) !== null) return [];
  const project = { name: name ?? basename(root), ...(base === null ? {} : { base_branch: base }) };
  const text = `# Every key with its meaning: .blueflame.example.yml of git-flame, or \`git flame config\`.\n${stringify({ schema_version: 1, project })}`;
  if (!dryRun) await writeFile(join(root, '.blueflame.yml'), text, { flag: 'wx' });
  return ['.blueflame.yml'];
}

function noBranch(branch: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-base-branch',
    message: `There is no branch ${branch} to land on.`,
    hints: [`git branch ${branch}`, 'git flame init'],
  });
}
