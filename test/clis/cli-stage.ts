import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { DialectName } from '../../lib/domain/config/known-clis.ts';
import type { Adapter, AgentLaunch } from '../../lib/domain/ports/adapter.ts';
import type { AgentOutcome, AgentRequest } from '../../lib/domain/ports/agent-port.ts';
import { agentPolicy, type CellFixture, openCellFixture, snapshotTree } from '../cell/fixture.ts';
import { processesAbout } from '../support/claude-project.ts';
import type { ScriptedModel, startScriptedModel, Turn } from '../support/scripted-model.ts';
import { makeHostileHome } from './hostile-settings.ts';

// Where a CLI meets a scripted model, in a cell as agents have it.

export type Call = NonNullable<Turn['calls']>[number];

/** What differs from CLI to CLI. */
export interface HookedCli {
  readonly name: string;
  readonly command: readonly [string, ...string[]] | null;
  readonly needs: string;
  readonly model: string;
  readonly dialect: DialectName;
  readonly key: string;
  /** Its environment, for the address of a model. */
  env(url: string): Readonly<Record<string, string>>;
  /** The key as the model API was shown it. */
  shown(headers: Readonly<Record<string, unknown>>): unknown;
  write(path: string, content: string): Call;
  edit(path: string, from: string, to: string): Call;
  shell(command: string): Call;
  /** Calls of tools that are not offered, with what each of them would get round. */
  readonly absent: Readonly<Record<'sub-agent' | 'MCP server' | 'second shell tool' | 'web', Call>>;
  readonly unknown: RegExp;
  readonly offered: readonly string[];
  readonly blocked: RegExp;
  /** A line of shell that takes the hook out of all settings a program in the cell can reach. */
  readonly unhook: string;
  /** It runs a call whose hook was killed; else it refuses it. */
  readonly failsOpen: boolean;
}

export interface Stage extends CellFixture {
  readonly model: ScriptedModel;
  readonly id: string;
  /** Throws where an agent that has ended left a process, or changed what is outside its cell. */
  assertNothingLeft(): void;
  run(changes?: Partial<AgentRequest>): Promise<AgentOutcome>;
  request(changes?: Partial<AgentRequest>): AgentRequest;
}

/** Another command for its hook; null takes hook and canary away. */
export type ChangeHook = (hook: string, worktree: string) => string | null;
/** Other arguments, or settings, for the CLI. */
export type ChangeLaunch = (launch: AgentLaunch) => AgentLaunch;
export type OpenStage = (
  script: readonly Turn[] | Script,
  change?: ChangeHook,
  changeLaunch?: ChangeLaunch,
) => Promise<Stage>;
export type Script = Parameters<typeof startScriptedModel>[1];

export type Live = (name: string, check: () => Promise<void>) => void;

export interface Kit {
  readonly live: Live;
  readonly open: OpenStage;
  /** Notes what a test that came to its end has proven. */
  proves(...what: readonly string[]): void;
}

// A machine with much else to do.
const timeoutMs = 300_000;

export async function openStage(cli: HookedCli, model: ScriptedModel, adapter: Adapter): Promise<Stage> {
  const HOME = makeHostileHome();
  const fixture = await openCellFixture({ adapter, env: { HOME, ...cli.env(model.url) } });
  const base = fixture.request({ adapter: cli.name, model: cli.model, systemPrompt: 'You work.' });
  const policy = {
    ...agentPolicy(base.id, base.worktree.path),
    allowed_tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'LS', 'Bash'],
    allowed_commands: ['git add', 'git commit', 'env', 'cat', 'touch', 'sleep', './off.sh'],
  };
  const assertNothingLeft = watchSurroundings(fixture.repo.path, HOME);
  const request = (changes: Partial<AgentRequest> = {}): AgentRequest => ({
    ...base,
    ...{ policy, timeoutMs },
    ...changes,
  });
  return {
    ...{ ...fixture, model, id: base.id, request, assertNothingLeft },
    run: async (changes) => (await fixture.runner.start(request(changes), () => undefined)).outcome,
  };
}

/** Those of the tests themselves. */
const ownFolders = /^flame-(?:test|home|state|template)-/;

function watchSurroundings(repo: string, home: string): () => void {
  const runs = join(repo, '.git/blueflame/run');
  const look = (): readonly unknown[] => [
    readdirSync(tmpdir()).filter((name) => !ownFolders.test(name)),
    snapshotTree(home, () => true),
    // All of an agent have their home there.
    processesAbout(runs),
  ];
  const before = look();
  return () => {
    assert.equal(look(), before);
    // What all agents of a run are shown stays until its runner closes.
    assert.equal(
      readdirSync(runs).filter((name) => !name.startsWith('shared-')),
      [],
    );
  };
}

export function changeHook(
  adapter: Adapter,
  change: ChangeHook = (hook) => hook,
  changeLaunch: ChangeLaunch = (launch) => launch,
): Adapter {
  return {
    ...adapter,
    launch: (request, paths) => {
      const hookCommand = change(paths.hookCommand ?? '', request.worktree.path);
      const canaryCommand = hookCommand === null ? null : paths.canaryCommand;
      return changeLaunch(adapter.launch(request, { ...paths, hookCommand, canaryCommand }));
    },
  };
}
