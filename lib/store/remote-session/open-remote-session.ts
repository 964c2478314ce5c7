import { setTimeout as wait } from 'node:timers/promises';
import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { RemoteSession } from '../../domain/ports/sharing-port.ts';
import type { Heartbeat } from '../../domain/state/machine-schemas.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { LocalStore } from '../store-options.ts';
import { fetchBranchCommits, fetchRemoteBranchTip } from '../sync/remote-refs.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { MachineHeartbeatWatch, OwnHeartbeatSchedule } from './heartbeats.ts';
import { machineRef, type Speak } from './machine-ref.ts';
import { RemoteExchange } from './remote-exchange.ts';
import { PushRateLimit, RemoteGitRunner } from './remote-git-runner.ts';
import { RemoteStoreWriter } from './shared-writer.ts';

export interface RemoteSessionOptions {
  readonly remote: string;
  /** git where the person stands: a remote's path may be relative to it. */
  readonly network: GitContext;
  /** Content of this machine's heartbeat. */
  readonly sign: Heartbeat;
  /** See Sharing. */
  readonly budget: number | null;
  readonly speak: Speak;
  /** Limit of all machines together; null: no limit. */
  readonly pushesPerMinute: number | null;
  /** No answer of the remote is waited for any longer; milliseconds. */
  readonly patienceMs: number;
  readonly onLine: (isThere: boolean, error: FlameError | null) => void;
  readonly signal: AbortSignal;
}

/** How long a machine that leaves waits for the remote. */
const farewellMs = 15_000;

export interface OpenedRemoteSession extends RemoteSession {
  /** This machine is in the session no more, and takes its sign away; of a session that is over those of all others. */
  leave(isOver: boolean): Promise<void>;
  /** Takes away its signs of sessions that ended while it was gone. */
  forgetEnded(sessions: readonly SessionId[]): Promise<void>;
}

/** From now on what a store changes is decided at a remote, see RemoteStoreWriter. Nothing is asked of the remote yet. */
export function openRemoteSession(store: LocalStore, options: RemoteSessionOptions): OpenedRemoteSession {
  const { remote, sign, patienceMs, pushesPerMinute, signal, onLine } = options;
  const network = new RemoteGitRunner(options.network, { remote, patienceMs });
  const signs = new OwnHeartbeatSchedule(options.speak);
  let seen: RemoteRefs = new Map();
  const watch = new MachineHeartbeatWatch(sign.machine);
  const writer = store.writeThrough(
    (parts) =>
      new RemoteStoreWriter(parts, {
        remote,
        exchange: new RemoteExchange(parts, { remote, network }),
        signs,
        signal,
        onLine,
        pace: new PushRateLimit(pushesPerMinute),
        machines: () => 1 + watch.machines().length,
        onLook: (theirs) => {
          seen = theirs;
          return watch.look(theirs, parts.catFile);
        },
      }),
  );
  return {
    remote,
    role: sign.role,
    roles: sign.roles,
    budget: options.budget,
    machine: sign.machine,
    sign: options.speak,
    enter: (session, lease) => {
      signs.enter(session, lease, sign);
      watch.enter(session, lease);
    },
    machines: () => watch.machines(),
    isGone: (machine) => watch.isGone(machine),
    isCutOff: () => signs.isCutOff(),
    fetchBranchCommits: (branch) => network.run((git) => fetchBranchCommits(git, remote, branch), null),
    tipOf: (branch) => network.run((git) => fetchRemoteBranchTip(git, remote, branch), null),
    exchangeNow: () => writer.look(),
    leave: async (isOver) => {
      const ref = signs.leave();
      if (ref === null) return;
      // Local changes go along; a remote that is out of reach is not waited for: the lease runs out without it.
      const last = writer.look().then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([last, wait(farewellMs, false, { ref: false })]))) return;
      await writer.forget(isOver ? watch.refs() : [ref]);
    },
    forgetEnded: async (sessions) => {
      const left = sessions.map((id) => machineRef(id, sign.machine)).filter((ref) => seen.has(ref));
      if (left.length > 0) await writer.forget(left);
    },
  };
}
