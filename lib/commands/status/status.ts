import { findConfigFile } from '../../config/find-config-file.ts';
import { listExpiredManualClaims, nameTaskHolder } from '../../core/schedule/claimable-tasks.ts';
import { isClaimedByHand } from '../../core/schedule/next-action.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { buildStatusView } from '../../domain/view-models/status-view.ts';
import { machineName } from '../../trust/clone-key.ts';
import { renderMachines, renderOtherOpenSessions } from '../../ui/render/render-machines.ts';
import { renderNoteCount } from '../../ui/render/render-notes.ts';
import { renderRoleSpending, renderSpendingBreakdown } from '../../ui/render/render-session.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderProposals, renderUnverifiedCompletions } from '../../ui/render/render-unverified.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import type { Style } from '../../ui/text/style.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { readSelectedSession } from '../context/open-notes-context.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { withTrustedDecisions } from '../context/with-trusted-decisions.ts';
import {
  chooseNextCommand,
  commandOnThisMachine,
  personWithClaims,
  syncWorktreesCommand,
  warnOfStaleWorktrees,
} from '../run-loop/next-command.ts';
import { gatherStatus, type StatusFacts } from './gather-status.ts';

/** `git flame status`: where the session stands, with --all those of all repositories; reads only. */
export async function run(args: CommandArgs<'status'>, io: Io): Promise<number> {
  if (args.options.all) return (await import('./show-machine-sessions.ts')).showMachineSessions(args, io);
  return withTrustedDecisions(args, io, async (reading) => {
    const { store, shown, output, selected } = reading;
    const { style } = output;
    const look = await readSelectedSession(store, selected);
    const session = selected.pick(look);
    for (const { ref, object, message } of look.problems) output.warn(`${ref} ${object}: ${message}`);
    if (session === null) {
      const none = buildStatusView(null, [], []);
      output.json(none);
      output.result(renderStatus(none, style, { now: new Date(), next: chooseNextCommand(null, null) }));
      return 0;
    }
    const facts = await gatherStatus(reading, io, { look, session });
    const { standing, tasks, agents, activity, machines } = facts;
    const status = buildStatusView(standing.session, tasks, agents, { ...facts, isText: !output.isJson });
    output.json(machines === null ? status : { ...status, machines: machines.machines });
    shown.recordSeen(session.id, status.changesets);
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

type WayOn = Awaited<ReturnType<typeof gatherWayOn>>;

/** Reads what decides how a person goes on. */
async function gatherWayOn(reading: ReadContext, { env }: Pick<Io, 'env'>, { session, standing, tasks }: StatusFacts) {
  const { git } = reading;
  const { commonDir } = git.repository;
  const place = machineName({ env, commonDir });
  const isGoing = isSessionBusy(commonDir, session.id);
  return {
    place,
    isGoing,
    person: await personWithClaims(git, tasks),
    behind: isGoing ? null : warnOfStaleWorktrees(standing.session, place),
    overdue: await overdueClaims(tasks, reading),
  };
}

/** The command to type next; null: nothing is left to do. */
function nextOf(
  { asks, standing }: Pick<StatusFacts, 'asks' | 'standing'>,
  { isGoing, behind, person, place }: WayOn,
): string | null {
  const [asked] = asks;
  if (asked !== undefined) return asked.next;
  if (isGoing) return 'git flame agent list';
  return behind === null ? chooseNextCommand(standing, person, place) : syncWorktreesCommand;
}

// Nothing is asked of a remote here: what it has now may be newer.
const asSeen = '  as this clone last saw them; for the current state: git flame machines';

/** The lines between the state and the next command. */
function linesBelow(facts: StatusFacts, way: WayOn, style: Style): readonly string[] {
  const { session, sessions, notes, machines } = facts;
  const doubted = renderUnverifiedCompletions(facts.doubts, style);
  return [
    ...(way.behind === null ? [] : [way.behind]),
    ...renderProposals(facts.proposals),
    ...(machines === null ? [] : ['', ...renderMachines(machines, style), asSeen]),
    ...(doubted.length === 0 ? [] : ['', ...doubted]),
    ...way.overdue,
    ...goneLines(facts, way),
    ...(notes === undefined || session.state === 'ended' ? [] : [renderNoteCount(notes)]),
    ...renderOtherOpenSessions(sessions, session),
  ];
}

/** Claims of agents that run no more; while a command works on the session it frees them by itself. */
function goneLines(
  { session, standing, tasks, agents: live }: StatusFacts,
  { isGoing, place }: WayOn,
): readonly string[] {
  if (isGoing) return [];
  const ours = tasks.filter(({ id }) => !standing.elsewhere.has(id));
  return goneClaims(ours, { live, place, frees: commandOnThisMachine(session, place, 'work') });
}

function spendLines({ session, spending }: Pick<StatusFacts, 'session' | 'spending'>, style: Style): readonly string[] {
  return [...renderRoleSpending(session, style, '  '), ...renderSpendingBreakdown(spending, style, '  ')];
}

/** Claims by hand that the next command which works sets free, as lines; none where the configuration says nothing. */
async function overdueClaims(
  tasks: readonly Task[],
  reading: Pick<ReadContext, 'git' | 'configFile'>,
): Promise<readonly string[]> {
  const root = reading.git.repository.mainWorkTree;
  if (root === null || !tasks.some(isClaimedByHand)) return [];
  const timeout = await claimTimeout(root, reading);
  const overdue = listExpiredManualClaims(tasks, timeout, new Date());
  return overdue.map(
    (task) =>
      `${task.id}, claimed by ${toPrintableLine(nameTaskHolder(task))}, was held too long: git flame work frees it.`,
  );
}

/** Claims of this clone's agents that do not run any more, as lines; `live` are those that do, `frees` is a command. */
function goneClaims(
  tasks: readonly Task[],
  {
    live,
    place,
    frees,
  }: { readonly live: readonly { readonly id: string }[]; readonly place: string; readonly frees: string },
): readonly string[] {
  const running = new Set(live.map(({ id }) => id));
  return tasks
    .filter(({ status, claimed_host: host }) => status === 'claimed' && (host === null || host === place))
    .flatMap(({ id, agent_id: agent }) =>
      agent === null || running.has(agent) ? [] : [`${id} is claimed by ${agent}, which has ended: ${frees} frees it.`],
    );
}

/** How long a claim by hand holds where the configuration doesn't say it. */
export const defaultClaimDuration = 'never';

/** Reads `claim_timeout`; with a configuration that can't be read, its default: commands that only read still work. */
async function claimTimeout(root: string, reading: Pick<ReadContext, 'git' | 'configFile'>): Promise<number | 'never'> {
  // Loads the configuration only where the file names the setting.
  const file = await findConfigFile(root, reading.configFile).catch(() => null);
  if (file === null || !/claim_timeout|\\/.test(readTextOrEmpty(file))) return defaultClaimDuration;
  const { readConfigIfSound } = await import('../context/read-config.ts');
  return (await readConfigIfSound(reading))?.limits.claim_timeout ?? defaultClaimDuration;
}
