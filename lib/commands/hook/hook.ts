import { FlameError } from '../../domain/flame-error.ts';
import type { Violation } from '../../domain/policy.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Task } from '../../domain/state/task.ts';
import { unsentDamage } from '../../store/sync/damage.ts';
import { damagedState } from '../../store/sync/errors.ts';
import { renderError } from '../../ui/render/render-error.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { gitHere } from '../open/git-here.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { judgePendingCommit } from './hooks-judge.ts';

/** Makes the hook refuse the commit; if this command stops for another reason, the commit goes on. */
const refusedCode = 3;

/**
 * `git flame hook`: what an installed git hook asks about a commit of a task, or of anyone under apply_to: all; and
 * whether the state may go along with a push.
 */
export function run(args: CommandArgs<'hook'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    if (args.subcommand === 'pre-push') return judgeState(args.positionals[0] ?? '', io, reading);
    const { task, found } = await judgePendingCommit(args, io, reading);
    if (found.length === 0) return 0;
    io.stderr.write(`${renderError(refusal(task, found), reading.output.errorStyle)}\n`);
    return refusedCode;
  });
}

/** Damaged state stays here, as with `git flame sync`; the person's own push is another matter. */
async function judgeState(remote: string, io: Io, { git, output }: Reading): Promise<number> {
  const { commonDir, objectFormat } = git.repository;
  const context = gitHere(git, io);
  const damage = await unsentDamage({ context, commonDir, objectFormat, remote, isDry: true });
  if (damage.length === 0) return 0;
  io.stderr.write(`${renderError(damagedState(remote, damage), output.errorStyle)}\n`);
  return refusedCode;
}

function refusal(task: Task | null, found: readonly Violation[]): FlameError {
  const rules = found.length === 1 ? 'a rule' : `${found.length} rules`;
  const whose = task === null ? 'this repository' : `task ${task.id}`;
  return new FlameError({
    kind: 'refused',
    code: 'commit-refused',
    message: `This commit breaks ${rules} of ${whose}.`,
    details: [
      ...found.map(({ details, rule }) => `${details} [${rule}]`),
      ...(task === null
        ? []
        : ['This is quick feedback: the same rules are applied when the work is handed in.']),
    ],
    hints: found.flatMap(({ where, rule }) => mend(where, rule)).slice(0, 3),
  });
}

function mend(where: string, rule: string): readonly string[] {
  return rule === 'commit-message' ? [] : [`git restore --staged -- ${shellQuote(where)}`];
}
