import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Session } from '../../domain/state/session.ts';
import type { TakenUp } from '../../engine/review/take-up.ts';
import { resume } from '../../engine/run-session.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { formatCount } from '../../util/format-figures.ts';
import { type Opened, withWorkshop } from '../open/open-workshop.ts';
import { requireOwn } from '../open/own-terminal.ts';
import { withSessionLock } from '../open/with-session-lock.ts';
import { askForNews, type RequestNews, takeUpAll } from './request-news.ts';

/** `git flame pr`: what was said of the pull request, and its failed checks, come back to their tasks. */
export function run(args: CommandArgs<'pr'>, io: Io): Promise<number> {
  return withWorkshop(args, io, async (opened) => {
    const session = opened.meant.require(await opened.store.snapshot());
    const { all, moved } = await askForNews(opened, io, session);
    if (args.globals.dryRun) return preview(opened, session, all) || Math.min(moved, 1);
    if (all.length === 0) return 1;
    requireOwn('What is taken up of a pull request', opened.git.repository, io);
    return withSessionLock(opened, session.id, async () => {
      await resume(opened.workshop, session.id);
      const taken = await takeUpAll(opened, session.id, { all, isAllowedMore: args.options.more });
      return tell(opened, session, taken) || Math.min(taken.refused + moved, 1);
    });
  });
}

function preview({ output }: Opened, session: Session, all: readonly RequestNews[]): number {
  const heard = new Set(session.landing?.heard ?? []);
  const isNew = ({ id }: { readonly id: string }): boolean => !heard.has(id);
  const told = all.map(({ request, news: { state, remarks, failed } }) => ({
    request,
    state,
    remarks: remarks.filter(isNew),
    failed: failed.filter(isNew),
  }));
  for (const { request, state, remarks, failed } of told) {
    const which = request.group === null ? 'The pull request' : `The pull request of ${request.group}`;
    output.result(
      `${which} is ${state}: ${formatCount(remarks.length, 'new remark')}, ${formatCount(failed.length, 'failed check')}.`,
    );
    for (const { by, text, place } of remarks)
      output.result(
        `  ${place === null ? '' : `${visibleLine(place.path)}:${place.line ?? ''} `}${visibleLine(by)}: ${visibleLine(text)}`,
      );
    for (const { name, conclusion } of failed) output.result(`  ${visibleLine(name)}: ${conclusion}`);
    const { group } = request;
    output.json({ session: session.id, ...(group === null ? {} : { group }), state, remarks, failed });
  }
  return 0;
}

function tell({ output }: Opened, session: Session, { tasks, left, awaited }: TakenUp): number {
  for (const { id, remarks, checks } of tasks) {
    const parts = [
      ...(remarks === 0 ? [] : [formatCount(remarks, 'remark')]),
      ...(checks === 0 ? [] : [formatCount(checks, 'failed check')]),
    ];
    output.result(`${id} goes on with ${parts.join(' and ')}.`);
  }
  if (tasks.length === 0)
    output.result(
      left + awaited.length === 0
        ? 'There is nothing new on the pull request.'
        : 'Nothing of it was taken up now.',
    );
  if (left > 0)
    output.info(
      `${formatCount(left, 'remark')} wait for the next round: git flame pr, once this one is pushed.`,
    );
  output.json({ session: session.id, tasks, left, awaited });
  if (tasks.length > 0) output.hint('git flame run --pr');
  return 0;
}
