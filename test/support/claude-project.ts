import { spawn } from 'node:child_process';
import {
  copyFileSync,
  constants as fileConstants,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { findClaude } from './model-namespace.ts';
import { type ModelScript, type ModelServer, startModelServer } from './model-server.ts';
import { cloneRepo, makeRepo, type TestRepo } from './repo.ts';
import { trusted } from './trusted.ts';

export const madeUpKey = 'sk-ant-made-up-0123456789abcdefghijklmnop';

export interface FlameCommand {
  /** As a shell tells it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--json` printed, parsed. */
  readonly lines: readonly Record<string, unknown>[];
}

/** A repository, a home and a temporary folder of their own, and the scripted model that claude will ask. */
export interface ClaudeProject {
  readonly repo: TestRepo;
  /** Holds everything of this project, and its name is nowhere else. */
  readonly root: string;
  readonly model: ModelServer;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `git flame … --json` as a process of its own, through git, without a terminal. */
  flame(...argv: string[]): Promise<FlameCommand>;
  /** The same, to be ended before it ends by itself. */
  begin(...argv: string[]): BegunCommand;
}

export interface BegunCommand {
  readonly ended: Promise<FlameCommand>;
  /** To git and git-flame, as a terminal does it. */
  signal(name: 'SIGINT' | 'SIGKILL'): void;
}

export interface ClaudeProjectOptions {
  readonly script: ModelScript;
  /** Sections of `.blueflame.yml` beside the ones every test needs. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** A folder to clone instead of the usual small repository. */
  readonly repository?: string;
  /** Instead of the pinned program. */
  readonly command?: readonly string[];
  /** Found in PATH, where claude's own installer puts it in a home, instead of by the configuration. */
  readonly isInstalled?: boolean;
  /** Beside what claude needs. */
  readonly env?: Readonly<Record<string, string>>;
}

const opened: ModelServer[] = [];

/** To be called once a file's tests are over, however they ended. */
export async function closeProjects(): Promise<void> {
  for (const model of opened.splice(0)) await model.close();
}

export async function openClaudeProject(options: ClaudeProjectOptions): Promise<ClaudeProject> {
  const model = await startModelServer({ script: options.script });
  opened.push(model);
  const repo = options.repository === undefined ? makeRepo() : cloneRepo(options.repository);
  const root = dirname(repo.path);
  const [home, tmp] = [join(root, 'home'), join(root, 'tmp')];
  for (const folder of [home, tmp]) mkdirSync(folder);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Lea Lead\n\temail = lea@example.com\n');
  writeConfig(repo, options);
  const folders = [join(packageRoot(), 'bin'), ...(options.isInstalled === true ? [install(home)] : [])];
  const env = {
    PATH: [...folders, process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
    HOME: home,
    TMPDIR: tmp,
    XDG_STATE_HOME: repo.env.XDG_STATE_HOME ?? '',
    ANTHROPIC_API_KEY: madeUpKey,
    ANTHROPIC_BASE_URL: model.url ?? '',
    ...options.env,
  };
  trusted({ path: repo.path, env });
  return {
    ...{ repo, root, model, env },
    flame: (...argv) => beginFlame(argv, { cwd: repo.path, env }).ended,
    begin: (...argv) => beginFlame(argv, { cwd: repo.path, env, detached: true }),
  };
}

export type ShownTask = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly retry_count: number;
  readonly result: { readonly status: string | null; readonly notes: string };
  readonly history: readonly { readonly result: string; readonly notes: string }[];
};

/** The tasks as the last line of `--json` shows them. */
export function tasksOf({ lines }: FlameCommand): readonly ShownTask[] {
  return (lines.at(-1)?.tasks ?? []) as readonly ShownTask[];
}

/** Every file below a folder, `.git` left out. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/(?:^|\/)\.git\//.test(path))
    .sort();
}

/** Processes that have to do with a folder: by their command line, their environment or where they stand. */
export function processesAbout(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => readProc(pid, file).includes(folder)))
    .map((pid) => `${pid}: ${readProc(pid, 'cmdline').replaceAll('\0', ' ')}`);
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** `~/.local/bin/claude`, a link to `~/.local/share/claude/versions/<version>`, which is the program. */
function install(home: string): string {
  const version = join(home, '.local/share/claude/versions/2.1.0');
  const bin = join(home, '.local/bin');
  for (const folder of [dirname(version), bin]) mkdirSync(folder, { recursive: true });
  copyFileSync(findClaude() ?? '', version, fileConstants.COPYFILE_FICLONE);
  symlinkSync(version, join(bin, 'claude'));
  return bin;
}

function writeConfig(repo: TestRepo, { config, command, isInstalled = false }: ClaudeProjectOptions): void {
  const program = findClaude() ?? 'claude';
  const text = stringify({
    schema_version: 1,
    project: { name: 'sample', base_branch: 'main' },
    ...(isInstalled ? {} : { adapters: { claude: { command: command ?? [program] } } }),
    ...config,
  });
  repo.write('.blueflame.yml', text);
  repo.commit('configure git-flame');
}

/** Runs `git flame` with these words and `--json` as a process of its own. */
export function beginFlame(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: ClaudeProject['env']; readonly detached?: boolean },
): BegunCommand {
  const child = spawn('git', ['flame', ...argv, '--json'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<FlameCommand>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const lines = stdout
        .split('\n')
        // After a kill the last line may be half of one.
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line): Record<string, unknown> => JSON.parse(line));
      resolve({ code: signal === null ? code : 128 + constants.signals[signal], stdout, stderr, lines });
    });
  });
  return {
    ended,
    signal: (name) => {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    },
  };
}
