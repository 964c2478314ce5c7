import { FlameError } from '../../domain/flame-error.ts';
import { agentRoles, type Role } from '../../domain/role.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { nextTask } from '../../engine/by-hand/claim.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { readConfig, requireWorkTree } from '../open/read-config.ts';
import { withDecisions } from '../open/signed-decisions.ts';

/** `git flame task next`: what should be done next; 1 when nothing can be started. */
export function showNext(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withDecisions(args, io, async ({ git, store, output, meant, configFile }) => {
    const role = readRole(args.options.role);
    const { config } = await readConfig(requireWorkTree(git), configFile);
    const snapshot = await store.snapshot();
    const { tasks } = snapshot.admitted(meant.require(snapshot).id);
    const { task, why } = nextTask(tasks, { limit: config.concurrency.development, now: new Date(), role });
    output.json({ task, why: task === null ? why : null });
    if (task === null) {
      output.info(`No task is ready: ${why}.`);
      return 1;
    }
    output.result(`${task.id}: ${visibleLine(task.title)}`);
    output.hint(`git flame task claim ${task.id}`);
    return 0;
  });
}

/** Throws FlameError `bad-role`. */
export function readRole(text: string | null): Role | null {
  if (text === null) return null;
  const role = agentRoles.find((name) => name === text);
  if (role !== undefined) return role;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-role',
    message: `There is no role ${JSON.stringify(text.slice(0, 100))}; there are: ${agentRoles.join(', ')}.`,
    hints: ['git flame task next --role worker'],
  });
}
