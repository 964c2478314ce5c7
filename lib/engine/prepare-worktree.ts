import type { Failure } from '../domain/failure.ts';
import type { CellWorktree } from '../domain/git-port.ts';
import type { Workshop } from './workshop.ts';

const setupTimeoutMs = 600_000;

/**
 * Brings what a bare worktree lacks: copied and linked files, then the setup commands, each in a cell. Returns
 * the untracked paths this made, which are nobody's work.
 */
export async function prepareWorktree(
  workshop: Workshop,
  cell: CellWorktree,
): Promise<{ readonly failure: Failure | null; readonly paths: readonly string[] }> {
  const { copy, link, setup } = workshop.config.project;
  if (copy.length + link.length + setup.length === 0) return { failure: null, paths: [] };
  await workshop.machine.prepareFiles({ from: workshop.root, to: cell.path, copy, link });
  for (const command of setup) {
    const run = await workshop.agents.runCommand({
      command,
      worktree: cell,
      timeoutMs: setupTimeoutMs,
      label: 'setup',
    });
    if (run.exitCode !== 0) return { failure: setupFailure(command, run.exitCode, run.output), paths: [] };
  }
  const left = await workshop.git.cellLeftovers(cell);
  const paths = left.filter(({ isTracked }) => !isTracked).map(({ path }) => path);
  await workshop.git.markPrepared(cell, paths);
  return { failure: null, paths };
}

function setupFailure(command: string, exitCode: number | null, output: string): Failure {
  const ended = exitCode === null ? 'was killed' : `ended with ${exitCode}`;
  const message = `The setup command ${JSON.stringify(command)} ${ended}.`;
  return { kind: 'setup-failed', message, details: output.split('\n').slice(-20), retryable: false };
}
