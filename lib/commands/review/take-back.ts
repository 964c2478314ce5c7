import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { undoDecision } from '../../engine/review/undo-decision.ts';
import { resume } from '../../engine/run-session.ts';
import { whereItIsLed } from '../machines/where-it-is-led.ts';
import { withWorkshop } from '../open/open-workshop.ts';
import { requireOwn } from '../open/own-terminal.ts';
import { reportEnd } from '../waves/report-end.ts';

/** `git flame review --take-back CHANGESET`: what was decided about it and has not landed, as if it never had been. */
export function takeBackDecision(args: CommandArgs<'review'>, io: Io, name: string): Promise<number> {
  return withWorkshop(args, io, async (opened) => {
    const meant = opened.meant.require(await opened.store.snapshot());
    requireOwn('What is taken back', opened.git.repository, io);
    return whereItIsLed(opened, io, meant, async (led) => {
      await resume(led.workshop, meant.id);
      await undoDecision(led.workshop, meant.id, name, { where: 'command' });
      await reportEnd(led, meant.id);
      return 0;
    });
  });
}
