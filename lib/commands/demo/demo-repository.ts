import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../../domain/view-models/command.ts';
import { type GitContext, runGit, runGitForText } from '../../git/process/run-git.ts';
import { userDataDir, userStateDir } from '../../util/user-folders.ts';
import { makeFolders } from '../../util/write-files.ts';

interface DemoPlace {
  /** Holds all of the demo. */
  readonly folder: string;
  /** Whether it is there afterwards. */
  readonly isKept: boolean;
}

/** Makes the demo's repository. What is noted about it outside goes with it, or stays in `folder` where there is no home. */
export async function makeDemoRepository(
  repo: string,
  { env }: Pick<Io, 'env'>,
  place: DemoPlace,
): Promise<GitContext> {
  makeFolders(repo);
  const context = { cwd: repo, env: await withIdentity(withState(env, place)) };
  await runGit(context, ['init', '--quiet', '--initial-branch=main']);
  for (const [path, text] of Object.entries({ ...demoFiles, '.blueflame.yml': demoConfig }))
    await writeFile(join(repo, path), text);
  await runGit(context, ['add', '--all']);
  await runGit(context, ['commit', '--quiet', '--message', 'Add a greeter without greetings']);
  const given = join(repo, '.git', 'demo');
  makeFolders(given);
  await writeFile(join(given, 'plan.yml'), demoPlan);
  await writeFile(join(given, 'decisions.yml'), demoDecisions);
  return context;
}

/** Keeps this clone's decisions in the demo's folder if that is thrown away, or the person's home can't be written. */
function withState(env: Io['env'], { folder, isKept }: DemoPlace): Io['env'] {
  const inFolder = { ...env, XDG_STATE_HOME: join(folder, 'state'), XDG_DATA_HOME: join(folder, 'data') };
  if (!isKept) return inFolder;
  try {
    for (const path of [userStateDir(env), userDataDir(env)]) makeFolders(path);
    return env;
  } catch {
    return inFolder;
  }
}

/** A machine without a git identity can run the demo all the same. */
async function withIdentity(env: Io['env']): Promise<Io['env']> {
  const known = await runGitForText({ cwd: tmpdir(), env }, ['config', '--get', 'user.email'], {
    accept: [0, 1],
  });
  if (known !== '' || env.GIT_AUTHOR_EMAIL !== undefined) return env;
  const [name, email] = ['Demo Lead', 'demo@example.com'];
  return {
    ...env,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** The throw-away project of `git flame demo`. */
const demoFiles: Readonly<Record<string, string>> = {
  'README.md': '# greeter\n\nSays hello.\n',
  'greet.sh': '#!/bin/sh\nfor file in words/*; do cat "$file"; done\n',
  'check.sh':
    '#!/bin/sh\n# Every word file holds exactly one line.\nfor file in words/*; do [ "$(wc -l <"$file")" -eq 1 ] || exit 1; done\n',
};

export const demoConfig = `schema_version: 2
project: { name: greeter, base_branch: main }
# Each task's description is a shell script: no model, no account, no cost.
roles: { worker: { adapter: exec } }
validation:
  validator_diagnostics: { commands: ['test ! -d words || sh check.sh'] }
`;

const demoPlan = `tasks:
  - id: task-001
    title: Greet in English
    cohesion_group: words
    priority: 1
    file_locks: [words/en.txt]
    description: |
      mkdir -p words
      echo 'Hello!' > words/en.txt
  - id: task-002
    title: Greet in French
    cohesion_group: words
    priority: 1
    file_locks: [words/fr.txt]
    description: |
      mkdir -p words
      echo 'Bonjour !' > words/fr.txt
  - id: task-003
    title: Say in the README which languages there are
    cohesion_group: docs
    priority: 2
    dependencies: [task-001, task-002]
    file_locks: [README.md]
    description: |
      echo >> README.md
      echo "Languages: $(ls words | sed 's/[.]txt//' | tr '\\n' ' ')" >> README.md
`;

const demoDecisions = `plan: [approve]
changesets: [approve, approve]
`;
