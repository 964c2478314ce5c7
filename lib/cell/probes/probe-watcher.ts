import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentPolicy } from '../../domain/agent-policy.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { randomName } from '../../util/short-names.ts';
import { makeRunFolder, type RunFolder } from '../run-folder.ts';
import type { RunnerContext, WatcherClient } from '../runner-context.ts';
import { startDecisionServer } from '../watcher/decision-server.ts';
import { uncachedPathFacts } from '../watcher/path-facts.ts';
import { makeSocketFolder } from '../watcher/socket-folder.ts';
import { buildWatcherHookCommand, watcherClientFile } from '../watcher/watcher-hooks.ts';
import { plainCallFacts } from '../watcher/watcher-protocol.ts';
import { runProbeCell } from './probe-cell.ts';

/** Where sockets and tools are shown inside a cell. */
export const foldersShownInsideCell = { sockets: '/run/blueflame', tools: '/run/blueflame-tools' };

/**
 * Finds the fastest client that works here: in a real cell it must let an allowed call through (exit 0) and
 * block another (exit 2). Throws FlameError `watcher-broken` when none does.
 */
export async function findFastestWatcherClient(context: RunnerContext): Promise<WatcherClient> {
  const hasNative = existsSync(join(context.distDir, watcherClientFile('native')));
  const clients: readonly WatcherClient[] = hasNative ? ['native', 'node'] : ['node'];
  const problems: string[] = [];
  for (const client of clients) {
    const problem = await tryClient(context, client);
    if (problem === null) return client;
    problems.push(`${client}: ${problem}`);
  }
  throw new FlameError({
    kind: 'environment',
    code: 'watcher-broken',
    message: 'The watcher client does not work in a cell here, so no tool call could be judged.',
    details: problems,
    hints: ['git flame doctor'],
  });
}

/** null: it works; else what was seen instead. */
async function tryClient(context: RunnerContext, client: WatcherClient): Promise<string | null> {
  const name = randomName('probe');
  const folder = makeRunFolder(context.repository.commonDir, name);
  const sockets = makeSocketFolder(folder);
  const server = await startDecisionServer({
    socketPath: join(sockets.path, 'judge.sock'),
    policy: canaryPolicy('probe', folder.home),
    audit: { append: () => undefined, close: () => undefined },
    decide: context.decide,
    facts: uncachedPathFacts,
    calls: plainCallFacts,
    onCanary: () => undefined,
  });
  try {
    const said = await askInCell(context, { name, client, folder, sockets: sockets.path });
    return worksAs.test(said) ? null : said.trim().split('\n').slice(0, 3).join(' ') || 'no answer';
  } finally {
    await server.close();
    await sockets.remove();
    await folder.remove();
  }
}

const worksAs = /^allowed 0\n.*canary\.txt.* \[path-hidden\]\ncanary 2\n$/s;
const script =
  'for file in allowed canary; do printf %s "$1" | sed "s/FILE/$file/" | sh -c "$2"; echo "$file $?"; done 2>&1';

interface Asking {
  readonly name: string;
  readonly client: WatcherClient;
  readonly folder: RunFolder;
  readonly sockets: string;
}

async function askInCell(context: RunnerContext, { name, client, folder, sockets }: Asking): Promise<string> {
  const { confinement } = await context.sandbox();
  const isCell = confinement === 'bubblewrap';
  const command = buildWatcherHookCommand(client, {
    tools: isCell ? foldersShownInsideCell.tools : context.distDir,
    socket: join(isCell ? foldersShownInsideCell.sockets : sockets, 'judge.sock'),
  });
  const { output } = await runProbeCell(context, {
    name,
    folder,
    programs: [process.execPath],
    mounts: isCell
      ? [
          { source: sockets, target: foldersShownInsideCell.sockets },
          { source: context.distDir, target: foldersShownInsideCell.tools },
        ]
      : [],
    argv: ['/bin/sh', '-c', script, 'probe', exampleCall(folder.home), command],
  });
  return output;
}

function exampleCall(worktree: string): string {
  const tool_input = { file_path: join(worktree, 'FILE.txt'), content: 'x' };
  return JSON.stringify({ tool_name: 'Write', tool_input, cwd: worktree });
}

/** Everything is allowed but the one path, `canary.txt`: a hook that doesn't work lets the file through. */
export function canaryPolicy(agent: string, worktree: string): AgentPolicy {
  return {
    v: 1,
    agent_id: agent,
    role: 'worker',
    worktree,
    can_write: true,
    allowed_tools: ['Read', 'Write'],
    blocked_tools: [],
    allowed_paths: ['**'],
    blocked_paths: [],
    hidden_paths: ['canary.txt'],
    file_locks: null,
    allowed_commands: [],
    exact_commands: [],
    blocked_patterns: [],
    allowed_env: [],
    commit_pattern: '',
    commit_example: '',
    naming_style: null,
    naming_globs: [],
    max_file_bytes: 1_000_000,
    require_tests: null,
  };
}
