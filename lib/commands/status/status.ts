import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { statusOf } from '../../domain/shown/status.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { lookAtSession } from '../open/session-meant.ts';
import { withDecisions } from '../open/signed-decisions.ts';
import { nextCommand } from '../waves/next-command.ts';
import { gatherStatus } from './gather-status.ts';
import { gatherWayOn, linesBelow, nextOf, spendLines } from './way-on.ts';

/** `git flame status`: where the session stands; reads only. */
export function run(args: CommandArgs<'status'>, io: Io): Promise<number> {
  return withDecisions(args, io, async (reading) => {
    const { store, shown, output, meant } = reading;
    const { style } = output;
    const look = await lookAtSession(store, meant);
    const session = meant.pick(look);
    for (const { ref, object, message } of look.problems) output.warn(`${ref} ${object}: ${message}`);
    if (session === null) {
      const none = statusOf(null, [], []);
      output.json(none);
      output.result(renderStatus(none, style, { now: new Date(), next: nextCommand(null, null) }));
      return 0;
    }
    const facts = await gatherStatus(reading, io, { look, session });
    const { standing, tasks, agents, activity, machines } = facts;
    const status = statusOf(standing.session, tasks, agents, { ...facts, isText: !output.isJson });
    output.json(machines === null ? status : { ...status, machines: machines.machines });
    shown.note(session.id, status.changesets);
    // The rest is for a person.
    if (output.isJson) return 0;
    const way = await gatherWayOn(reading, io, facts);
    output.result(
      renderStatus(status, style, {
        now: new Date(),
        next: nextOf(facts, way),
        activity,
        isGoing: way.isGoing,
        spend: spendLines(facts, style),
        more: linesBelow(facts, way, style),
      }),
    );
    return 0;
  });
}
