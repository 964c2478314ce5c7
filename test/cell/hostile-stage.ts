import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import type { Adapter } from '../../lib/domain/ports/adapter.ts';
import type { AgentOutcome, AgentRequest } from '../../lib/domain/ports/agent-port.ts';
import type { CellWorktree } from '../../lib/domain/ports/git-cells.ts';
import type { GitPort } from '../../lib/domain/ports/git-port.ts';
import { readStat } from '../../lib/util/process-identity.ts';
import { codeOf, findDamage } from '../git/cell-fixture.ts';
import type { TestRepo } from '../support/repo.ts';
import { agentRequest, type CellFixture, openCellFixture } from './fixture.ts';

export interface Attack {
  readonly outcome: AgentOutcome;
  /** Last part of what it printed. */
  readonly said: string;
  readonly cell: CellWorktree;
  /** Paths it handed in, or the code of the error its work was refused with. */
  readonly handedIn: readonly string[] | string;
}

export interface Stage {
  readonly fixture: CellFixture;
  readonly repo: TestRepo;
  readonly port: GitPort;
  /** Another agent's worktree. */
  readonly neighbour: CellWorktree;
  /**
   * Runs a script as an agent in the real cell, takes what it left as the orchestrator would, and removes
   * the cell. Fails when anything but the cell has changed, is damaged, or still runs.
   */
  attack(script: string, changes?: Partial<AgentRequest>): Promise<Attack>;
}

export interface StageOptions {
  readonly config?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly adapter?: Partial<Adapter>;
}

/** A repository with what is worth attacking: branches, a hook, configuration, a stash, another agent. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const fixture = await openCellFixture(options);
  const { repo, port } = fixture;
  repo.git('branch', 'other');
  repo.git('tag', 'v1');
  repo.write('.git/hooks/post-commit', '#!/bin/sh\nexit 0\n');
  repo.write('README.md', '# Stashed\n');
  repo.git('stash');
  const start = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const neighbour = await port.addCellWorktree(join(`${repo.path}.trees`, 'worker-99999999'), start);
  await port.discardCell(fixture.cell);
  let count = 0;
  return {
    ...{ fixture, repo, port, neighbour },
    attack: async (script, changes = {}) => {
      count += 1;
      const name = `worker-${count.toString(16).padStart(8, '0')}`;
      const cell = await port.addCellWorktree(join(`${repo.path}.trees`, name), start);
      const before = everythingElse(repo, name);
      const agent = await fixture.runner.start(agentRequest(cell, { prompt: script, ...changes }), () => undefined);
      const outcome = await agent.outcome;
      assert.equal(everythingElse(repo, name), before);
      assert.equal(processesIn(repo.path), []);
      const handedIn = await takeWork(port, cell);
      await port.discardCell(cell);
      assert.not.ok(existsSync(cell.path));
      assert.equal(everythingElse(repo, name), before);
      assert.is(findDamage(repo), '');
      const said = `${outcome.text}\n${(outcome.answer as { stderr?: string } | null)?.stderr ?? ''}`;
      return { outcome, said, cell, handedIn };
    },
  };
}

/** All files but the cell's own and the logs, with kinds, modes and contents; and what git says of its refs. */
function everythingElse(repo: TestRepo, name: string): string {
  const isOther = (path: string): boolean =>
    !path.includes(name) && !/\.git\/(?:objects|blueflame\/(?:logs|run))$/.test(path);
  return [
    repo.git('for-each-ref'),
    repo.git('symbolic-ref', 'HEAD'),
    repo.git('config', '--list', '--show-origin'),
    repo.git('status', '--porcelain', '--untracked-files=no'),
    ...describeTree(repo.path, isOther),
  ].join('\n');
}

function describeTree(folder: string, isOther: (path: string) => boolean): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter(isOther)
    .flatMap((path) => {
      const facts = lstatSync(path);
      const line = `${path} ${facts.mode.toString(8)}`;
      if (facts.isDirectory()) return [line, ...describeTree(path, isOther)];
      return [facts.isFile() ? `${line} ${readFileSync(path, 'latin1')}` : line];
    });
}

/** What the orchestrator does with a finished cell, as far as git is concerned. */
async function takeWork(port: GitPort, cell: CellWorktree): Promise<readonly string[] | string> {
  let files: readonly string[] = [];
  const code = await codeOf(
    (async () => {
      const left = (await port.cellLeftovers(cell)).map(({ path }) => path);
      if (left.length > 0)
        await port.commitLeftovers(cell, left, { message: 'left over', author: 'Agent <agent@example.com>' });
      const tip = await port.cellHead(cell);
      const changed = await port.changedFiles(cell.start, tip, cell.quarantine);
      await port.commitsBetween(cell.start, tip, cell.quarantine);
      await port.readTexts(tip, changed.map(({ path }) => path).slice(0, 100), cell.quarantine);
      files = changed.map(({ path }) => path);
    })(),
  );
  return code === 'no error' ? files : code;
}

/** Processes that stand in a folder or run from it, whoever started them. */
function processesIn(folder: string): string[] {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => ['cwd', 'root', 'exe'].some((link) => target(pid, link).startsWith(`${folder}/`)))
      // The one that this process reads the repository with.
      .filter((pid) => !isOwnReader(Number(pid)))
  );
}

function isOwnReader(pid: number): boolean {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return readStat(pid)?.parent === process.pid && command.includes('cat-file\0--batch-command');
}

function target(pid: string, link: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${link}`);
  } catch {
    return '';
  }
}
