import { isInstalled, type ReadyCli, readyClis } from '../../cell/run/agent-clis.ts';
import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { configSchema } from '../../domain/config/config.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import { renderProposal } from '../../ui/render/render-init.ts';
import type { Reading } from '../open/read-state.ts';
import { runnerOptions } from '../open/runner-options.ts';
import { roomForBuilds } from './propose-commands.ts';
import { type Tried, tryProposal } from './try-proposal.ts';
import { readProposal, writeConfig } from './write-config.ts';

/** The repository, and what the configuration names it. */
export interface Wanted {
  readonly root: string;
  readonly base: string | null;
  readonly name: string;
}

interface Beginning extends Pick<Reading, 'git' | 'output'> {
  readonly io: Io;
  readonly dryRun: boolean;
  readonly isQuiet: boolean;
  readonly isTried: boolean;
}

/** Writes the configuration to begin with, and returns what was written; what was found in the project is shown before it is written. */
export async function beginConfig(
  { root, base, name }: Wanted,
  { git, io, output, dryRun, isQuiet, isTried }: Beginning,
): Promise<readonly string[]> {
  const cli = proposeCli(git, io);
  const proposal = readProposal(root, io.env.PATH);
  const project = { name, ...(base === null ? {} : { base_branch: base }) };
  const tried = isTried && proposal !== null ? await tryTests({ git, io, project, proposal }, output) : null;
  // Looser limits than those built in are offered once, and only to a person at a terminal.
  const room = (proposal?.allowed.length ?? 0) > 0 && io.stdin.isTTY === true ? roomForBuilds : null;
  if (proposal !== null && !isQuiet)
    output.result(renderProposal({ ...proposal, tried, room }, output.style));
  if (!dryRun) await writeConfig(root, { project, cli, proposal, tried, room });
  return [cli === null ? '.blueflame.yml' : `.blueflame.yml, with ${cli.name} in every role`];
}

/** The proposed checks, tried once where they can be; null: there are none. */
async function tryTests(
  parts: Parameters<typeof tryProposal>[0],
  output: Reading['output'],
): Promise<Tried | null> {
  const { tests, sources } = parts.proposal;
  if (tests.length === 0) return null;
  const { mainWorkTree: root } = parts.git.repository;
  const isCommitted =
    root !== null && !(await parts.git.dirtyPaths(root)).some((path) => sources.includes(path));
  if (!isCommitted)
    return { tests, install: null, failing: [], untried: `${sources.join(', ')} is not committed` };
  output.info(`Trying ${tests.join(', ')} in a sandbox, to propose what passes …`);
  return tryProposal(parts);
}

/** Picks another CLI that is ready for the first configuration, where claude isn't installed; null: none. */
function proposeCli(git: GitPort, io: Io): ReadyCli | null {
  const context = makeRunnerContext(runnerOptions(git, configSchema.parse({}), io));
  return isInstalled(context, context.adapters('claude')) ? null : (readyClis(context)[0] ?? null);
}
