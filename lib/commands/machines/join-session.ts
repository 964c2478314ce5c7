import { diffConfigs } from '../../config/list-config-values.ts';
import { parseConfig } from '../../config/load-config.ts';
import {
  toObjectiveDecision,
  toSessionStateDecision,
  toTaskPlanDecision,
  toTaskStateDecision,
} from '../../core/admission/make-decisions.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { ShownMachine } from '../../domain/view-models/listed-machines.ts';
import { digestPlanTasks } from '../../domain/view-models/status-view.ts';
import { askToAcceptReceived } from '../../engine/plan/accept-received.ts';
import { viewSession } from '../../engine/record-changes.ts';
import { recoverSession } from '../../engine/recover-session.ts';
import { workForLeadMachine } from '../../engine/work-for-lead-machine.ts';
import { type GitContext, runGitForText } from '../../git/process/run-git.ts';
import { listLastSeenMachines } from '../../store/remote-session/list-machines.ts';
import type { OpenedRemoteSession } from '../../store/remote-session/open-remote-session.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findGitContextHere } from '../context/open-read-context.ts';
import { withSessionLock } from '../context/session-lock.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import { reportCommandEnd } from '../run-loop/continue-session.ts';
import { parseMachineBudget, parseMachineRoles } from './machines.ts';
import { runInSharedSession } from './run-in-shared-session.ts';

declare const FLAME_VERSION: string;

/**
 * `git flame work --join`: takes tasks of a session that another machine leads, until it has ended. Of that plan nothing
 * runs before the person of this clone agreed to exactly that.
 */
export function joinSession(args: CommandArgs<'work'>, io: Io): Promise<number> {
  const { join, plan, role } = args.options;
  const budget = parseMachineBudget(args.options.budget);
  const asked = role === null ? null : parseMachineRoles(role);
  return withRunContext(args, io, (opened) => {
    const roles = asked ?? opened.config.machines.roles;
    return runInSharedSession(
      opened,
      io,
      { name: join ?? '', role: 'worker', roles, budget },
      async ({ remoteSession, inSession }) => {
        const session = await findShared(opened, remoteSession);
        const gitContext = findGitContextHere(opened.git, io);
        await requireSameConfig(opened, session, gitContext);
        const shared = inSession(session.id);
        return withSessionLock(
          shared,
          session.id,
          async () => {
            await agree(shared, session, { plan, remote: remoteSession.remote });
            const { lease_ms: leaseMs, renew_ms: renewMs } = session.machines;
            remoteSession.enter(session.id, { leaseMs, renewMs });
            await recoverSession(shared.context, session.id);
            await workForLeadMachine(shared.context, session.id).catch((error: unknown) => {
              throw asJoined(error, remoteSession.remote);
            });
            const end = await reportCommandEnd(shared, session.id, () => null);
            return end.session.state === 'ended' ? 0 : 2;
          },
          { isShared: true },
        );
      },
    );
  });
}

/** Replaces the hint `git flame run` by the command to join again: a machine that joined doesn't lead. */
function asJoined(error: unknown, remote: string): unknown {
  if (!(error instanceof FlameError)) return error;
  return error.withHints(
    error.hints.map((hint) => (hint === 'git flame run' ? `git flame work --join ${shellQuote(remote)}` : hint)),
  );
}

type SharedSession = Session & { readonly machines: NonNullable<Session['machines']> };

/** The session meant, or the one begun last of those that are led for other machines. Throws FlameError `nothing-to-join`. */
async function findShared(
  { store, selected }: CommandContext,
  remoteSession: OpenedRemoteSession,
): Promise<SharedSession> {
  const { remote } = remoteSession;
  const { sessions } = await store.raw.snapshot();
  // Killed after its last sign, it could not take that away.
  await remoteSession.forgetEnded(sessions.filter(({ state }) => state === 'ended').map(({ id }) => id));
  const open = sessions.filter(
    (session): session is SharedSession => session.machines !== undefined && session.state !== 'ended',
  );
  const found = selected.name === null ? open.at(-1) : open.find(({ id }) => id === selected.name);
  if (found !== undefined) return found;
  throw new FlameError({
    kind: 'waiting',
    code: 'nothing-to-join',
    message: `No session is shared through ${remote}.`,
    hints: [`On the lead machine: git flame run --remote ${shellQuote(remote)}`],
  });
}

/** Throws FlameErrors `plan-not-agreed`, and what the gate throws. */
async function agree(
  { context, store }: CommandContext,
  { id }: Session,
  { plan, remote }: { readonly plan: string | null; readonly remote: string },
): Promise<void> {
  const view = await viewSession(context, id);
  const tasks = (await store.raw.snapshot()).tasksOf(id);
  const digest = digestPlanTasks(tasks);
  if (plan === null && view.isOurs && view.received.length === 0 && tasks.length > 0) return;
  if (plan === null && context.gates.isInteractive) return askToAcceptReceived(context, id);
  if (plan === null || !isDigest(plan, digest)) throw notAgreed({ plan, digest, remote, count: tasks.length });
  context.decided.record([
    toObjectiveDecision(view.stored),
    toSessionStateDecision(view.stored),
    ...tasks.flatMap((task) => [toTaskPlanDecision(task), toTaskStateDecision(task)]),
  ]);
}

// A digest may be shortened while it is too costly to make another plan whose digest begins alike.
const shortestDigest = 16;

function isDigest(typed: string, digest: string): boolean {
  const [wanted, whole] = [typed, digest].map((text) => text.replace(/^sha256:/, '').toLowerCase());
  if (wanted === undefined || whole === undefined || wanted.length < shortestDigest) return false;
  return whole.startsWith(wanted);
}

function notAgreed({
  plan,
  digest,
  remote,
  count,
}: {
  readonly plan: string | null;
  readonly digest: string;
  readonly remote: string;
  readonly count: number;
}): FlameError {
  const none = count === 0;
  return new FlameError({
    kind: 'waiting',
    code: 'plan-not-agreed',
    message: none
      ? `The session at ${remote} has no plan yet.`
      : plan === null
        ? `You have not agreed to the plan at ${remote}, so nothing of it runs here.`
        : `The plan at ${remote} has another digest than the one you named: ${digest}.`,
    hints: none
      ? [`git flame work --join ${shellQuote(remote)}`]
      : ['git flame status', `To agree to it: git flame work --join ${shellQuote(remote)} --plan ${digest}`],
  });
}

const mostShown = 20;

/**
 * Rules are the same on all machines, or the lead would judge by others than the work was made by. Throws FlameError
 * `config-differs`, with each value that is another one here.
 */
async function requireSameConfig(
  { git, context, config }: CommandContext,
  session: Session,
  gitContext: GitContext,
): Promise<void> {
  const { config_digest: theirs, base_branch: base, base_commit: commit } = session;
  if (context.configDigest === theirs) return;
  const text = await runGitForText(gitContext, ['show', `${commit}:.blueflame.yml`], { accept: [0, 128] });
  const place = { context: gitContext, commonDir: git.repository.commonDir };
  const lead = (await listLastSeenMachines(place, session, [])).find(({ role }) => role === 'lead');
  throw new FlameError({
    kind: 'refused',
    code: 'config-differs',
    message: `This clone's configuration differs from the session's (${context.configDigest} here, ${theirs} there).`,
    details: [...describeOtherVersion(lead, FLAME_VERSION), ...differences(text, config)],
    hints: ['git pull', `git diff ${shellQuote(base)} -- .blueflame.yml`],
  });
}

/** Lists each value that differs, where the session's configuration is that of the commit it started from. */
function differences(text: string, here: CommandContext['config']): readonly string[] {
  if (text === '') return [];
  try {
    const changes = diffConfigs(parseConfig(text, '.blueflame.yml').config, here);
    const shown = changes.map(
      ({ path, before, after }) => `${path}: ${before ?? '(none)'} there, ${after ?? '(none)'} here`,
    );
    const rest = shown.length - mostShown;
    return [...shown.slice(0, mostShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
  } catch {
    // A configuration that can't be read here shows as different by its digest.
    return [];
  }
}

/** The line that says which version the lead runs, where it is another one: its defaults may differ. */
export function describeOtherVersion(
  lead: Pick<ShownMachine, 'machine' | 'version'> | undefined,
  here: string,
): readonly string[] {
  if (lead === undefined || lead.version === null || lead.version === here) return [];
  const [name, version] = [lead.machine, lead.version].map((text) => toPrintableLine(text));
  return [`${name} leads with git-flame ${version}, this is ${here}: defaults may differ`];
}
