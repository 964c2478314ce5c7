import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServices } from '../../lib/cell/run/agent-services.ts';
import { makeRunnerContext } from '../../lib/cell/run/make-context.ts';
import { makeRunFolder } from '../../lib/cell/run-folder.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { agentRequest, claudeHooks, distDir, openCellFixture, scriptAdapter } from '../cell/fixture.ts';
import { hermeticEnv, makeTempDir } from '../support/repo.ts';
import type { BenchRow } from './figures.ts';
import { type TimedCommand, timeCommands } from './time-commands.ts';

const rounds = 15;
const repeat = 10;

/** What a tool call waits for: the registered hook command, against an empty one and against a script with jq. */
export async function benchWatcher(): Promise<BenchRow[]> {
  const hook = await registerHook();
  try {
    const rows: BenchRow[] = [];
    for (const width of [1, 4]) rows.push(...(await timeHooks(hook, width)));
    return rows;
  } finally {
    await hook.close();
  }
}

interface Hook {
  readonly command: string;
  /** A tool call it allows, as a file. */
  readonly call: string;
  readonly worktree: string;
  close(): Promise<void>;
}

async function timeHooks({ command, call, worktree }: Hook, width: number): Promise<BenchRow[]> {
  const shared = { cwd: worktree, env: hermeticEnv, stdin: call, width, repeat };
  const inShell = (line: string): TimedCommand => ({ ...shared, argv: ['sh', '-c', line] });
  const script = join(packageRoot(), 'test', 'bench', 'jq-watcher.sh');
  const { ours, empty, jq } = await timeCommands(
    {
      ours: inShell(command),
      empty: inShell('true'),
      jq: inShell(`exec bash '${script}' '${worktree}' '${join(worktree, '..', 'jq.audit')}'`),
    },
    rounds,
  );
  const what = width === 1 ? 'a tool call' : `${width} tool calls at once`;
  return [
    {
      what,
      against: '`sh -c true`',
      figures: { ours, other: empty },
      target: { kind: 'ratio', most: 4 },
    },
    {
      what,
      against: 'bash with `jq`',
      figures: { ours, other: jq },
      target: { kind: 'ratio', most: 1 },
    },
  ];
}

/** An agent's hook command as the cell registers it, with the server that answers it. */
async function registerHook(): Promise<Hook> {
  const { repo, port, cell } = await openCellFixture();
  const { repository } = port;
  const adapter = { ...scriptAdapter, ...claudeHooks };
  const request = agentRequest(cell);
  const context = makeRunnerContext({
    ...{ repository, distDir, env: repo.env, adapters: () => adapter },
    config: configSchema.parse({}),
    now: () => new Date(),
  });
  const services = await startServices(
    { ...context, sandbox: async () => ({ ...(await context.sandbox()), confinement: 'watched' }) },
    {
      ...{ adapter, request, confinement: 'watched', access: null },
      folder: makeRunFolder(repository.commonDir, request.id),
      onSpending: () => undefined,
      onUnderWay: () => undefined,
      sharesUsd: false,
      share: async () => null,
      giveBack: () => undefined,
      onRefused: () => undefined,
      onUnwatched: () => undefined,
    },
  );
  const call = join(makeTempDir(), 'call.json');
  const input = { file_path: join(cell.path, 'src', 'a.txt'), content: 'a\n' };
  writeFileSync(call, `${JSON.stringify({ tool_name: 'Write', tool_input: input, cwd: cell.path })}\n`);
  return { command: services.paths.hookCommand ?? '', call, worktree: cell.path, close: services.close };
}
