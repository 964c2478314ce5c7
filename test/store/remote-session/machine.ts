import type { FlameError } from '../../../lib/domain/flame-error.ts';
import type { Store } from '../../../lib/domain/ports/store-port.ts';
import { shareSshConnection } from '../../../lib/git/process/share-ssh.ts';
import { openStore } from '../../../lib/store/open-store.ts';
import { type OpenedRemoteSession, openRemoteSession } from '../../../lib/store/remote-session/open-remote-session.ts';
import { makePrivateKey, publicKeyOf, signTextWithKey } from '../../../lib/util/machine-key.ts';
import type { TestRepo } from '../../support/repo.ts';
import { alterTask } from '../../support/tasks.ts';
import { commonDirOf, taskOf } from '../sync-clones.ts';

/** What one machine has open: its store, changed through the remote. */
export interface Machine {
  readonly store: Store;
  readonly remoteSession: OpenedRemoteSession;
  readonly lines: boolean[];
  /** Why it was told that the remote is lost. */
  readonly lost: FlameError[];
  close(): Promise<void>;
}

export async function openMachine(
  repo: TestRepo,
  name: string,
  { key = makePrivateKey(), patienceMs = 60_000 }: { readonly key?: string; readonly patienceMs?: number } = {},
): Promise<Machine> {
  const context = { cwd: repo.path, env: repo.env };
  const store = await openStore({ context, commonDir: commonDirOf(repo), objectFormat: 'sha1' });
  const lines: boolean[] = [];
  const lost: FlameError[] = [];
  const network = await shareSshConnection(context);
  const remoteSession = openRemoteSession(store, {
    ...{ remote: 'origin', network, pushesPerMinute: null, patienceMs },
    budget: null,
    speak: (text) => ({ key: publicKeyOf(key), signature: signTextWithKey(key, text) }),
    sign: {
      key: publicKeyOf(key),
      v: 1,
      machine: name,
      person: 'Lea <lea@example.com>',
      role: 'worker',
      version: '0',
      config: 'none',
      slots: 2,
      roles: ['work'],
      since: '2026-03-01T08:00:00.000Z',
    },
    onLine: (isThere, error) => {
      lines.push(isThere);
      if (error !== null) lost.push(error);
    },
    signal: new AbortController().signal,
  });
  return { store, remoteSession, lines, lost, close: () => store.close() };
}

/** Claims a task for a machine; false where it is taken. */
export async function claim({ store }: Machine, id: string, agent: string): Promise<boolean> {
  const result = await store.transact((snapshot) => {
    const task = taskOf(snapshot, id);
    if (task.status !== 'pending') return null;
    const fields = { status: 'claimed' as const, agent_id: agent as never, claimed_by: agent };
    const claimed = alterTask(task, { ...fields, claimed_at: '2026-03-01T08:00:00.000Z', claim: 1 });
    return {
      actor: agent,
      changes: [{ subject: `${id}: pending -> claimed by ${agent}`, tasks: [claimed] }],
    };
  });
  return result.kind === 'done';
}
