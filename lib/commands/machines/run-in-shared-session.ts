import { createSharedDecisionLog } from '../../core/machines/machine-statement.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { JoinedMachineRole, MachineRole } from '../../domain/state/machine-schemas.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { type GitContext, runGitForLines, runGitForText } from '../../git/process/run-git.ts';
import { shareSshConnection } from '../../git/process/share-ssh.ts';
import type { AdmissionStore } from '../../store/admission/admission-store.ts';
import { type OpenedRemoteSession, openRemoteSession } from '../../store/remote-session/open-remote-session.ts';
import { recommendPushesPerMinute } from '../../store/remote-session/remote-git-runner.ts';
import { chooseRemote } from '../../store/sync/remote-refs.ts';
import { machineName, openCloneKey } from '../../trust/clone-key.ts';
import { findGitContextHere } from '../context/open-read-context.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';

const longestPatienceMs = 120_000;
const shortestPatienceMs = 15_000;

declare const FLAME_VERSION: string;

export interface SharedSessionContext {
  readonly remoteSession: OpenedRemoteSession;
  /** Opens what a command works with in a session. */
  readonly inSession: (session: SessionId) => CommandContext;
}

interface Joining {
  /** The remote as it was typed, '' where none was. */
  readonly name: string;
  readonly role: MachineRole;
  readonly roles: readonly JoinedMachineRole[];
  /** See Sharing. */
  readonly budget: number | null;
}

/**
 * Has all that a command changes decided at a remote, for the time of `work`. Throws FlameErrors `no-remote` and `remote-unreachable`.
 */
export async function runInSharedSession(
  opened: CommandContext,
  io: Io,
  { name, role, roles, budget }: Joining,
  work: (shared: SharedSessionContext) => Promise<number>,
): Promise<number> {
  const { context, config, git, store, output } = opened;
  const gitContext = findGitContextHere(git, io);
  const remote = await chooseRemote(gitContext, name === '' ? null : name);
  const url = await runGitForText(gitContext, ['remote', 'get-url', remote], { accept: [0, 2, 128] });
  const { lease, pushes_per_minute: most } = config.machines;
  const clone = { env: io.env, commonDir: git.repository.commonDir };
  const { key, sign: speak } = openCloneKey(clone);
  const place = machineName(clone);
  const trusted = role === 'lead' ? await readTrustedMachineKeys(gitContext) : [];
  const isTrustedKey = (key: string): boolean => isKeyTrustedOn(trusted, key, context.now());
  const network = await shareSshConnection(gitContext);
  const remoteSession = openRemoteSession(store.raw, {
    remote,
    network,
    signal: context.signal,
    speak,
    budget,
    sign: {
      v: 1,
      machine: place,
      person: context.gates.person,
      role,
      version: FLAME_VERSION,
      config: context.configDigest,
      slots: roles.includes('work') ? config.concurrency.development : 0,
      roles: [...roles],
      key,
      since: context.now().toISOString(),
    },
    pushesPerMinute: most ?? recommendPushesPerMinute(url),
    patienceMs: Math.min(Math.max(lease / 3, shortestPatienceMs), longestPatienceMs),
    onLine: (isThere, error) =>
      context.events.emit(
        isThere
          ? { event: 'remote-back', remote, message: `${remote} is back.` }
          : {
              event: 'remote-lost',
              remote,
              message: `${remote} ${error?.code === 'remote-unreachable' ? "can't be reached" : 'accepts no push'}: agents continue, no task is claimed, and finished work waits here. (${error?.message ?? ''})`,
            },
      ),
  });
  let isOver = false;
  const inSession = (session: SessionId): CommandContext => {
    const decided = createSharedDecisionLog(opened.decided, { session, role, isTrustedKey });
    return {
      ...opened,
      decided,
      output,
      context: sharedWorkshop({ ...context, place }, { store, decided, remoteSession }),
    };
  };
  try {
    await remoteSession.exchangeNow();
    const code = await work({ remoteSession, inSession });
    isOver = true;
    return code;
  } finally {
    // A machine that can't say that it leaves is given up like one that is gone.
    await remoteSession.leave(isOver && role === 'lead').catch(() => undefined);
  }
}

/** Scripts of the configuration run on the lead only: no machine that joined runs them. */
function sharedWorkshop(
  context: RunContext,
  shared: Required<Pick<RunContext, 'decided' | 'remoteSession'>> & { readonly store: Pick<AdmissionStore, 'admitBy'> },
): RunContext {
  const { store, decided, remoteSession } = shared;
  store.admitBy({ decided });
  const none = { post_plan: '', pre_validation: '', post_merge: '', on_failure: '', on_waiting: '' };
  const { hooks } = context.config;
  const config = remoteSession.role === 'lead' ? context.config : { ...context.config, hooks: { ...hooks, ...none } };
  return {
    ...context,
    config,
    decided,
    remoteSession,
    reload: async () => sharedWorkshop({ ...(await context.reload()), place: remoteSession.machine }, shared),
  };
}

interface TrustedKey {
  readonly key: string;
  /** The last day on which it counts (UTC), as `2030-12-31`. */
  readonly until: string;
}

/** Whether a key is one of those, on a day that isn't after its last. */
export function isKeyTrustedOn(trusted: readonly TrustedKey[], key: string, day: Date): boolean {
  return trusted.some((one) => one.key === key && one.until >= day.toISOString().slice(0, 10));
}

/** The git setting by which a person trusts keys: their own configuration, which isn't shared. */
const setting = 'blueflame.trustedMachine';

/**
 * Reads the keys of machines whose verdicts this person trusts in any session of the repository, each until a day:
 * `git config --add blueflame.trustedMachine "KEY YYYY-MM-DD"`. Throws FlameError `trusted-machine`.
 */
export async function readTrustedMachineKeys(gitContext: GitContext): Promise<readonly TrustedKey[]> {
  const values = await runGitForLines(gitContext, ['config', '--get-all', setting], { accept: [0, 1] });
  return values.map(parseTrustedMachineKey);
}

/** One value of that setting. Throws FlameError `trusted-machine`. */
export function parseTrustedMachineKey(value: string): TrustedKey {
  const [key = '', until = '', ...more] = value.trim().split(/\s+/);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(until) && !Number.isNaN(Date.parse(until));
  if (isDay && more.length === 0) return { key, until };
  throw new FlameError({
    kind: 'refused',
    code: 'trusted-machine',
    message: `${setting} is ${JSON.stringify(value)}, but must be a key and the last day on which it counts.`,
    hints: [`git config --get-all --show-origin ${setting}`, `git config --add ${setting} "KEY 2030-12-31"`],
  });
}
