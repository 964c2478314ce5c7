import { execFile } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { openPathFacts } from '../../../lib/cell/watcher/path-facts.ts';
import type { AgentPolicy } from '../../../lib/domain/agent-policy.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { parseAgentId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { Adapter } from '../../../lib/domain/ports/adapter.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { type CollectRequest, collectWork } from '../../../lib/engine/work/collect-work.ts';
import { quarantineVariables } from '../../../lib/git/objects/git-access.ts';
import { compilePolicy } from '../../../lib/policy/compile-policy.ts';
import { decideToolCall } from '../../../lib/policy/decide-tool-call.ts';
import { isPathBlockedByGlob } from '../../../lib/policy/judge-path.ts';
import { makeTempDir } from '../../support/repo.ts';
import { agentRequest, openCellFixture, scriptAdapter } from '../fixture.ts';
import type { Shape } from './shapes.ts';

/** What no model may be told, and no work may hold. */
export const hiddenWord = 'hidden-word-4711';
const outsideWord = 'outside-word-4711';

/** What came of a line that was typed. */
export type Effect = 'refused' | 'none' | string;

export interface EffectStage {
  /** Types a line as an agent's shell would: judged, and where it may run, run in a cell of its own. */
  readonly type: (line: string) => Promise<Effect>;
  /** Runs a line in the worktree of a cell with neither a judge nor a cell; for tests of this stage. */
  readonly typeUnheld: (line: string) => Promise<Effect>;
  /** What git calls something in the repository. */
  readonly idOf: (name: string) => string;
  /** Whether the judge lets a line run. */
  readonly allows: (line: string) => boolean;
  readonly close: () => void;
}

interface Place {
  readonly cell: CellWorktree;
  readonly policy: AgentPolicy;
}

const plain =
  'src/app.ts src/a src/a.ts src/b.ts src/b src/locked/l.ts src/index.ts src/utils/date.ts src/list.txt src/x.sh test/app.test.ts tests/test_a.py lib/x.py scripts/run.sh docs/guide.md README.md go.mod build/x package.json package-lock.json Makefile'.split(
    ' ',
  );
const secrets = ['.env', '.env.local', 'infra/main.tf', 'infra/deep/x.tf', 'server.key', 'src/sub/.env', 'db.secret'];
const links: Readonly<Record<string, string>> = {
  'src/out': '/etc',
  'src/passwd': '/etc/passwd',
  'src/up': '..',
  'src/toinfra': '../infra',
  'src/tolock': 'locked',
  'src/inner': 'a.ts',
  'src/gitlink': '../.git',
};

export async function openEffectStage(shape: Pick<Shape, 'policy' | 'commands'>): Promise<EffectStage> {
  const home = makeTempDir('flame-effects-home');
  mkdirSync(join(home, '.ssh'));
  for (const name of ['.ssh/id_rsa', '.netrc', 'x']) writeFileSync(join(home, name), `${outsideWord}\n`);
  const rules = permissionsOf(shape);
  const fixture = await openCellFixture({
    config: { permissions: rules },
    env: { HOME: home },
    adapter: { reader: allOutput },
  });
  const { repo, port, runner } = fixture;
  await port.discardCell(fixture.cell);
  const isHidden = (path: string): boolean =>
    shape.policy.blocked_paths.some((glob) => isPathBlockedByGlob(glob, path));
  repo.git('tag', 'before');
  for (const [at, word] of [`${hiddenWord}-old`, hiddenWord].entries()) {
    for (const path of secrets) repo.write(path, `TOKEN=${isHidden(path) ? word : 'none'} ${path}\n`);
    if (at === 0) repo.write('infra/gone.tf', `${hiddenWord} gone\n`);
    else repo.git('rm', '-qf', 'infra/gone.tf');
    for (const path of plain) repo.write(path, path === 'Makefile' ? 'test:\n\techo ok\n' : 'x\n');
    repo.write('src/list.txt', '.env\ninfra/main.tf\n');
    repo.git('add', '-Af');
    repo.git('commit', '-qm', `files ${at}`);
    if (at === 0) repo.git('tag', 'came');
  }
  repo.git('branch', 'side', 'came');
  repo.write('src/a.ts', 'y\n');
  repo.commit('work');
  writeFileSync(join(dirname(repo.path), 'outside.txt'), `${outsideWord}\n`);
  const start = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const connections: string[] = [];
  const server = await listen(() => connections.push('tcp'));
  const { port: listening } = server.address() as { readonly port: number };
  const config = configSchema.parse({ permissions: rules, validation: formatOf(shape) });
  let count = 0;

  const place = async (): Promise<Place> => {
    count += 1;
    const id = `worker-${count.toString(16).padStart(8, '0')}`;
    const cell = await port.addCellWorktree(join(`${repo.path}.trees`, id), start);
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(cell.path, path));
    linkSync(join(cell.path, 'README.md'), join(cell.path, 'src/hard.ts'));
    const made = compilePolicy({
      ...{ config, role: 'worker', agentId: parseAgentId(id), worktree: cell.path, fileLocks: [] },
    });
    return { cell, policy: { ...made, file_locks: null } };
  };
  const placed = (line: string, { path }: CellWorktree): string =>
    line
      .replaceAll('/WT', path)
      .replaceAll('/REPO', repo.path)
      .replaceAll(/\/wt(?=[/"'\s]|-evil|$)/g, path)
      .replaceAll('47113', String(listening));
  const judge = (line: string, { cell, policy }: Place): boolean => {
    const facts = openPathFacts({ workTree: cell.path, env: repo.env, quarantine: cell.quarantine }, 10_000);
    const call = { tool_name: 'Bash', tool_input: { command: placed(line, cell) }, cwd: cell.path };
    return decideToolCall(policy, call, facts).decision === 'allow';
  };
  const first = await place();

  return {
    idOf: (name) => repo.git('rev-parse', name),
    allows: (line) => judge(line, first),
    type: async (line) => {
      if (!judge(line, first)) return 'refused';
      const at = await place();
      if (!judge(line, at)) return 'refused';
      return effectsOf(at, async ({ cell, policy }) => {
        const agent = await runner.start(
          agentRequest(cell, {
            ...{ id: parseAgentId(policy.agent_id), policy, timeoutMs: 20_000 },
            prompt: `exec 2>&1 </dev/null\n${placed(line, cell)}\n`,
          }),
          () => undefined,
        );
        return (await agent.outcome).text;
      });
    },
    typeUnheld: async (line) =>
      effectsOf(await place(), async ({ cell }) => {
        const options = {
          cwd: cell.path,
          env: { ...repo.env, HOME: home, ...quarantineVariables(cell.quarantine) },
        };
        return (await promisify(execFile)('bash', ['-c', placed(line, cell)], options)).stdout;
      }),
    close: () => server.close(),
  };

  /** What came of a run in a cell, which is removed. */
  async function effectsOf(at: Place, run: (at: Place) => Promise<string>): Promise<Effect> {
    const { cell, policy } = at;
    const before = snapshot(dirname(repo.path), cell);
    const text = await run(at);
    const left = processesIn(cell.path);
    const found = [
      ...(text.includes(hiddenWord) ? [`told: ${lineWith(text, hiddenWord)}`] : []),
      ...(text.includes(outsideWord) ? ['told what lies outside'] : []),
      ...(connections.splice(0).length > 0 ? ['a connection'] : []),
      ...(left.length > 0 ? ['a process is left'] : []),
      ...(snapshot(dirname(repo.path), cell) === before ? [] : ['changed outside']),
      ...(await handedIn(cell, { policy, author: 'worker one <worker@example.com>' })),
    ];
    for (const pid of left) process.kill(Number(pid), 'SIGKILL');
    await port.discardCell(cell);
    return found.join(', ') || 'none';
  }

  /** What of it the orchestrator would accept. */
  async function handedIn(
    cell: CellWorktree,
    { policy, author }: Pick<CollectRequest, 'policy' | 'author'>,
  ): Promise<readonly string[]> {
    // The links that stood there before the line would have all of the work refused.
    for (const [path, target] of Object.entries(links)) removeLink(join(cell.path, path), target);
    const work = await collectWork(
      { git: port, now: () => new Date('2026-02-06T14:30:22Z') } as Parameters<typeof collectWork>[0],
      {
        ...{ cell, policy, author, began: null },
        task: { file_locks: ['.'] } as unknown as Task,
        adapter: { commits: 'orchestrator' } as CollectRequest['adapter'],
      },
    ).catch((error: unknown) => ({ kind: 'refused' as const, error }));
    if (work.kind !== 'work') return [];
    const changed = await port.changedFiles(cell.base, work.tip, cell.quarantine);
    const paths = changed.map(({ path }) => path);
    const bad = paths.filter((path) => isHidden(path) || path === 'go.mod');
    const texts = await port.readTexts(work.tip, paths, cell.quarantine);
    const held = [...texts].filter(([, text]) => text?.includes(hiddenWord) === true).map(([path]) => path);
    const objects = objectsIn(cell.quarantine.objectDir).some((text) => text.includes(hiddenWord));
    return [
      ...bad.map((path) => `accepted with ${path} changed`),
      ...held.map((path) => `hidden word handed in by ${path}`),
      ...(objects ? ['hidden word handed in by a commit'] : []),
    ];
  }
}

function removeLink(path: string, target: string): void {
  try {
    if (readlinkSync(path) === target) rmSync(path);
  } catch {
    // The line removed it, or wrote a file in its place.
  }
}

function permissionsOf({ policy, commands }: Pick<Shape, 'policy' | 'commands'>): object {
  return {
    allowed_paths: policy.allowed_paths,
    blocked_paths: [...policy.blocked_paths, ...policy.file_locks, 'go.mod'],
    hidden_paths: policy.blocked_paths,
    bash_rules: {
      allowed_commands: commands,
      ...(policy.blocked_patterns === undefined ? {} : { blocked_patterns: policy.blocked_patterns }),
      ...(policy.env_allow === undefined ? {} : { allowed_env: policy.env_allow }),
    },
  };
}

function formatOf({ policy }: Pick<Shape, 'policy'>): object {
  return { commit_format: { pattern: policy.commit_pattern ?? '' } };
}

/** All that a script prints, however much. */
const allOutput: Adapter['reader'] = (request) => {
  let output = '';
  return {
    push: (chunk) => {
      output = (output + chunk).slice(-20_000_000);
      return [];
    },
    finish: (end) => ({ ...scriptAdapter.reader(request).finish(end), text: output }),
  };
};

function listen(onConnection: () => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      onConnection();
      socket.destroy();
    });
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.unref();
      resolve(server);
    });
  });
}

function lineWith(text: string, word: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.includes(word))
      ?.slice(0, 120) ?? ''
  );
}

/** Everything beside a cell's own folders, with its content. */
function snapshot(root: string, cell: CellWorktree): string {
  const isOwn = (path: string): boolean =>
    // Of the other worktrees the first has no agent.
    (path.startsWith(`${dirname(cell.path)}/`) && !/\/worker-0{7}1(?:\/|$)/.test(path)) ||
    /\.git\/(?:objects|blueflame|worktrees)$/.test(path);
  const describe = (folder: string): readonly string[] =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => !isOwn(path))
      .flatMap((path) => {
        const facts = lstatSync(path);
        if (facts.isDirectory()) return [path, ...describe(path)];
        return [`${path} ${facts.mode} ${facts.isFile() ? readFileSync(path, 'latin1') : ''}`];
      });
  return describe(root).join('\n');
}

/** Processes that stand in a folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    });
}

function objectsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{38,62}$/.test(entry.name))
    .map((entry) => inflateSync(readFileSync(join(entry.parentPath, entry.name))).toString('latin1'));
}
