import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { removeAgentWrittenFolder } from '../../lib/cell/run/end-runs.ts';
import { cloneStateDir } from '../../lib/util/user-folders.ts';

const made: string[] = [];
process.on('exit', () => {
  // The runner removes all of a file's folders at once; in memory that costs nothing.
  if (process.env.FLAME_TEST_SWEEPS !== '1') for (const path of made) removeAgentWrittenFolder(path);
});

/** The environment tests run git in: no configuration of the machine, fixed author and dates. */
export const hermeticEnv: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  // What tests allow is a person's of their own.
  XDG_STATE_HOME: makeTempDir('flame-state'),
  LANG: 'C.UTF-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Lea Lead',
  GIT_AUTHOR_EMAIL: 'lea@example.com',
  GIT_COMMITTER_NAME: 'Lea Lead',
  GIT_COMMITTER_EMAIL: 'lea@example.com',
  GIT_AUTHOR_DATE: '2026-02-06T14:30:22Z',
  GIT_COMMITTER_DATE: '2026-02-06T14:30:22Z',
};

export interface TestRepo {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  /** Adds and commits everything; returns the commit. */
  commit(message: string): string;
  remove(): void;
}

const templates = new Map<string, string>();

/** A folder of its own below the system's temporary folder, removed when the process ends. */
export function makeTempDir(name = 'flame-test'): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  made.push(path);
  return path;
}

/** A copy of a ready repository (branch main, one commit with README.md and src/a.txt), in a few milliseconds. */
export function makeRepo(options: RepoOptions = {}): TestRepo {
  const format = options.objectFormat ?? 'sha1';
  const { config = null } = options;
  const key = `${format} ${config}`;
  const template = templates.get(key) ?? buildTemplate(key, format, config);
  const path = join(makeTempDir(), options.name ?? 'repo');
  cpSync(template, path, { recursive: true });
  return openRepo(path);
}

/** A clone of another repository's HEAD, as branch main and without a remote. */
export function cloneRepo(from: string): TestRepo {
  const path = join(makeTempDir(), 'repo');
  mkdirSync(path);
  const repo = openRepo(path);
  repo.git('clone', '-q', '--no-hardlinks', from, '.');
  repo.git('checkout', '-q', '-B', 'main');
  repo.git('remote', 'remove', 'origin');
  return repo;
}

export interface RepoOptions {
  readonly name?: string;
  readonly objectFormat?: 'sha1' | 'sha256';
  /** The text of `.blueflame.yml`, in a commit of its own. */
  readonly config?: string;
}

/** Helpers over an existing repository. */
export function openRepo(path: string, env: Readonly<Record<string, string>> = hermeticEnv): TestRepo {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: path,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  return {
    path,
    env,
    git,
    write,
    commit: (message) => runShell({ path, env }, 'git add -A && git commit -q -m "$1" && git rev-parse HEAD', message),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function buildTemplate(key: string, format: string, config: string | null): string {
  const path = join(makeTempDir('flame-template'), 'repo');
  const repo = openRepo(path);
  repo.write('README.md', '# Sample\n');
  repo.write('src/a.txt', 'a\n');
  // The sample hooks would be half of the files of each copy. In one shell, for a process costs node more than git takes.
  const steps = [
    `git init -q -b main --object-format=${format}`,
    'rm .git/hooks/*',
    'git config gc.auto 0',
    'git config maintenance.auto false',
    'git add -A',
    'git commit -q -m "initial commit"',
  ];
  runShell(repo, steps.join(' && '));
  if (config !== null) {
    repo.write('.blueflame.yml', config);
    repo.commit('configure git-flame');
  }
  templates.set(key, path);
  return path;
}

function runShell({ path: cwd, env }: Pick<TestRepo, 'path' | 'env'>, line: string, ...words: string[]): string {
  return execFileSync('sh', ['-c', line, 'sh', ...words], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/**
 * A copy of a repository with what was decided in it, which is kept elsewhere. To be made before there is any
 * worktree: git would take those of a copy for those of the original.
 */
export function copyRepo(repo: TestRepo): TestRepo {
  const path = join(makeTempDir('flame-copy'), 'repo');
  cpSync(repo.path, path, { recursive: true });
  copyDecided(repo, repo.path, path);
  return openRepo(path, repo.env);
}

/**
 * A state that takes long to reach, one for each list of words: made at its first use, and whoever asks has a copy of
 * it, with all that lies beside the repository.
 */
export function prepared<Words extends readonly unknown[]>(
  make: (...words: Words) => Promise<TestRepo>,
): (...words: Words) => Promise<TestRepo> {
  const origins = new Map<string, Promise<TestRepo>>();
  return async (...words) => {
    const key = JSON.stringify(words);
    const origin = origins.get(key) ?? make(...words);
    origins.set(key, origin);
    return copyFolderOf(await origin);
  };
}

/** Remotes and programs of hosts that lie in the folder or in the repository are the copy's own. */
function copyFolderOf(repo: TestRepo): TestRepo {
  const [from, to] = [dirname(repo.path), makeTempDir('flame-copy')];
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  for (const name of readdirSync(to)) {
    const place = join(to, name, '.git');
    if (!existsSync(place)) continue;
    if (readdirIfThere(join(place, 'worktrees')).length > 0) throw new Error(`${name} has worktrees`);
    copyDecided(repo, join(from, name), join(to, name));
    const texts = ['config', ...readdirIfThere(join(place, 'fake-bin')).map((file) => join('fake-bin', file))];
    for (const file of texts.map((text) => join(place, text)))
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
  }
  return openRepo(join(to, basename(repo.path)), repo.env);
}

function readdirIfThere(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function copyDecided({ env }: TestRepo, from: string, to: string): void {
  const [origin, copy] = [from, to].map((root) => cloneStateDir(env, join(root, '.git'))) as [string, string];
  if (!existsSync(origin)) return;
  cpSync(origin, copy, { recursive: true });
  // What is allowed is kept by the path of what it allows.
  const allowed = join(copy, 'allowed');
  for (const file of readdirIfThere(allowed).map((name) => join(allowed, name))) {
    const text = readFileSync(file, 'utf8').replaceAll(from, to);
    const { config }: { readonly config: string | null } = JSON.parse(text);
    rmSync(file);
    writeFileSync(join(allowed, `${hash('sha256', config ?? '').slice(0, 16)}.json`), text, { mode: 0o600 });
  }
}
