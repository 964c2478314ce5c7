import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { PullRequestNews } from '../../domain/state/pull-request.ts';
import type { Session } from '../../domain/state/session.ts';
import { type TakenUp, takeUp } from '../../engine/review/take-up.ts';
import { resume } from '../../engine/run-session.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { formatCount } from '../../util/format-amount.ts';
import { type Opened, withWorkshop } from '../open/open-workshop.ts';
import { requireOwn } from '../open/own-terminal.ts';
import { withSessionLock } from '../open/with-session-lock.ts';
import { askForNews } from './ask-for-news.ts';

/** `git flame pr`: what was said of the pull request, and its failed checks, come back to their tasks. */
export function run(args: CommandArgs<'pr'>, io: Io): Promise<number> {
  return withWorkshop(args, io, async (opened) => {
    const session = opened.meant.require(await opened.store.snapshot());
    const news = await askForNews(opened, io, session);
    if (args.globals.dryRun) return preview(opened, session, news);
    requireOwn('What is taken up of a pull request', opened.git.repository, io);
    return withSessionLock(opened, session.id, async () => {
      await resume(opened.workshop, session.id);
      const taken = await takeUp(opened.workshop, session.id, news, {
        isAllowedMore: args.options.more,
        reopen: news.reopen,
      });
      return tell(opened, session, taken);
    });
  });
}

function preview({ output }: Opened, session: Session, { remarks, failed, state }: PullRequestNews): number {
  const heard = new Set(session.landing?.heard ?? []);
  const isNew = ({ id }: { readonly id: string }): boolean => !heard.has(id);
  const [said, red] = [remarks.filter(isNew), failed.filter(isNew)];
  output.result(
    `The pull request is ${state}: ${formatCount(said.length, 'new remark')}, ${formatCount(red.length, 'failed check')}.`,
  );
  for (const { by, text, place } of said)
    output.result(
      `  ${place === null ? '' : `${visibleLine(place.path)}:${place.line ?? ''} `}${visibleLine(by)}: ${visibleLine(text)}`,
    );
  for (const { name, conclusion } of red) output.result(`  ${visibleLine(name)}: ${conclusion}`);
  output.json({ session: session.id, state, remarks: said, failed: red });
  return 0;
}

function tell({ output }: Opened, session: Session, { tasks, left }: TakenUp): number {
  for (const { id, remarks, checks } of tasks) {
    const parts = [
      ...(remarks === 0 ? [] : [formatCount(remarks, 'remark')]),
      ...(checks === 0 ? [] : [formatCount(checks, 'failed check')]),
    ];
    output.result(`${id} goes on with ${parts.join(' and ')}.`);
  }
  if (tasks.length === 0)
    output.result(
      left === 0 ? 'There is nothing new on the pull request.' : 'Nothing of it was taken up now.',
    );
  if (left > 0)
    output.info(
      `${formatCount(left, 'remark')} wait for the next round: git flame pr, once this one is pushed.`,
    );
  output.json({ session: session.id, tasks, left });
  if (tasks.length > 0) output.hint('git flame run --pr');
  return 0;
}
