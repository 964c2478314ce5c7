import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import type { StateChange } from '../../lib/domain/ports/store-port.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from './exec-project.ts';
import { flame } from './flame.ts';
import { openRepo, prepared, type TestRepo } from './repo.ts';
import { trusted } from './trusted.ts';

type Fields = Readonly<Record<string, unknown>>;

export const oneTask: readonly ScriptTask[] = [
  { id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] },
];

interface SharedOptions {
  readonly config?: Fields;
  readonly tasks?: readonly ScriptTask[];
  readonly upTo?: 'plan' | 'merge';
}

const remoteOf = (repo: TestRepo): string => join(dirname(repo.path), 'remote.git');

const sharedRepo = prepared(async (options: SharedOptions): Promise<TestRepo> => {
  const repo = makeExecProject({ config: options.config ?? {} });
  repo.git('init', '-q', '--bare', remoteOf(repo));
  repo.git('remote', 'add', 'origin', remoteOf(repo));
  repo.git('push', '-q', 'origin', 'main');
  const plan = writePlan(repo, options.tasks ?? oneTask);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const waves = options.upTo === 'plan' ? [] : [['work'], ['validate'], ['merge']];
  for (const argv of [['plan', 'Share', '--from', plan, '--decisions-file', decisions], ...waves])
    assert.is((await flame(repo, argv)).code, 0, argv.join(' '));
  return repo;
});

async function cloneShared(repo: TestRepo, name: string): Promise<TestRepo> {
  assert.is((await flame(repo, ['sync'])).code, 0);
  const path = join(dirname(repo.path), name);
  repo.git('clone', '-q', '-b', 'main', remoteOf(repo), path);
  return trusted(openRepo(path, repo.env));
}

/** A project with a remote, its session as far as its changeset, and what its clone gets of it. */
export async function makeShared(
  options: SharedOptions = {},
): Promise<{ readonly repo: TestRepo; readonly clone: () => Promise<TestRepo> }> {
  const repo = await sharedRepo(options);
  let count = 0;
  return {
    repo,
    clone: () => {
      count += 1;
      return cloneShared(repo, `clone-${count}`);
    },
  };
}

const forgedRepo = prepared(async (options: SharedOptions): Promise<TestRepo> => {
  const repo = await sharedRepo(options);
  await cloneShared(repo, 'forger');
  return repo;
});

/** A project with its own session, and what somebody with push rights to its remote writes into it. */
export async function makeForgery(
  options: SharedOptions = {},
): Promise<{ readonly victim: TestRepo; readonly send: (change: Forgery) => Promise<void> }> {
  const victim = await forgedRepo(options);
  const forger = openRepo(join(dirname(victim.path), 'forger'), victim.env);
  const send = async (change: Forgery): Promise<void> => {
    assert.is((await flame(victim, ['sync'])).code, 0);
    forger.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
    if (typeof change === 'function') await forge(forger, change);
    else rewrite(forger, change);
    forger.git('push', '-q', 'origin', 'refs/blueflame/*:refs/blueflame/*');
  };
  return { victim, send };
}

/** Notes as a change, or a ref with what its files become; null: gone; '' as a path: the whole tree. */
export type Forgery =
  | ((state: State) => readonly StateChange[])
  | { readonly ref: string; readonly files: Readonly<Record<string, string | null>> };

/** By git alone, so that anything can be written. */
function rewrite(repo: TestRepo, { ref, files }: Exclude<Forgery, (state: State) => readonly StateChange[]>): void {
  const index = { GIT_INDEX_FILE: join(repo.path, '.git', 'forged.index') };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: repo.path, env: { ...repo.env, ...index }, encoding: 'utf8' }).trim();
  const isThere = repo.git('for-each-ref', ref) !== '';
  git('read-tree', ...(isThere && files[''] === undefined ? [ref] : ['--empty']));
  for (const [path, text] of Object.entries(files)) {
    if (path === '') continue;
    if (text === null) git('update-index', '--force-remove', path);
    else {
      repo.write('.git/forged.json', text);
      git('update-index', '--add', '--cacheinfo', `100644,${git('hash-object', '-w', '.git/forged.json')},${path}`);
    }
  }
  const commit = git('commit-tree', git('write-tree'), ...(isThere ? ['-p', ref] : []), '-m', 'by hand');
  repo.git('update-ref', ref, commit);
}

/** Where a note lies: the anchor's id, divided as git-flame does. */
export function notePath(repo: TestRepo, ref: string, anchor: string): string {
  const key = repo.git('rev-parse', `${ref}:anchors/${anchor}`);
  return `${key.slice(0, 2)}/${key.slice(2)}`;
}

export type State = Parameters<Parameters<Awaited<ReturnType<typeof openStore>>['transact']>[0]>[0];

/** Writes notes as any program with push rights can: no command of ours decides anything. */
export async function forge(repo: TestRepo, change: (state: State) => readonly StateChange[]): Promise<void> {
  const context = { cwd: repo.path, env: repo.env };
  const git = await openGit(context);
  const { commonDir, objectFormat } = git.repository;
  const store = await openStore({ context, commonDir, objectFormat });
  await store.transact((state) => ({ changes: change(state), actor: 'Lea Lead <lea@example.com>' }));
  await store.close();
  await git.close();
}
