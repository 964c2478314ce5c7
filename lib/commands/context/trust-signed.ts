import type { Config } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { RefusedSignature, SignatureNote } from '../../domain/state/signatures.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { findFirstCommitOfBranch } from '../../git/objects/read-commits.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { findStartingAgent } from '../../trust/chat-processes.ts';
import { openDecisionLog } from '../../trust/decisions/open-decision-log.ts';
import { advanceLatestTimeSeen, verifySessionSignatures } from '../../trust/decisions/verify-signatures.ts';
import { isContentAllowed, readPermission } from '../../trust/repository/permission.ts';
import type { ReadContext } from './open-read-context.ts';
import { readPermissionRequest } from './permission-gate.ts';
import { readConfig } from './read-config.ts';

/** Decisions that count here: those made in this clone, and those a named signer signed. */
export interface TrustedDecisions {
  readonly decided: DecisionLog;
  /** Digests that a named signer took back. */
  readonly withdrawn: ReadonlySet<string>;
  /** Signatures that do not count; none where no signer is named. */
  readonly refused: readonly RefusedSignature[];
}

/** Decisions that count with these signatures; null where the configuration names no signer. */
export async function trustSignedDecisions(
  io: Io,
  {
    git,
    store,
    configFile,
    sessions,
    notes,
  }: Pick<ReadContext, 'git' | 'store' | 'configFile'> & {
    readonly sessions: readonly Session[];
    readonly notes: readonly SignatureNote[];
  },
): Promise<TrustedDecisions | null> {
  const { trust, problem } = await readTrustConfig(io, { git, configFile });
  if (problem !== null || trust === null || trust.signers.length === 0) return null;
  const { commonDir } = git.repository;
  const context = findSigningContext({ git }, io);
  const branches = new Map(sessions.map(({ id, base_branch }) => [id, base_branch]));
  const { signed, settled, refused } = await verifySessionSignatures(notes, {
    context,
    signers: trust.signers,
    replaced: await store.replacedSeals(notes.map(({ session }) => session)),
    at: advanceLatestTimeSeen(io.env, commonDir, new Date()),
    rootOf: (session) => findFirstCommitOfBranch(context, branches.get(session) ?? ''),
  });
  const chat = (): string | null => findStartingAgent({ commonDir, env: io.env });
  return {
    decided: openDecisionLog({ env: io.env, commonDir, signed, chat }),
    withdrawn: settled,
    refused,
  };
}

/** `trust:` of the configuration, and why it has no effect; null where there is none that can be read. */
export async function readTrustConfig(
  io: Io,
  { git, configFile }: Pick<ReadContext, 'git' | 'configFile'>,
): Promise<{ readonly trust: Config['trust'] | null; readonly problem: string | null }> {
  const root = git.repository.mainWorkTree;
  if (root === null) return { trust: null, problem: null };
  try {
    const loaded = await readConfig(root, configFile);
    const { trust } = loaded.config;
    // Only the signers and `sign` need permission here; the rest of the configuration doesn't matter.
    if (trust.signers.length === 0 && !trust.sign) return { trust, problem: null };
    const { content, place } = readPermissionRequest(loaded, io, { git, root });
    const isHeard = isContentAllowed(content, readPermission(place));
    return { trust, problem: isHeard ? null : 'you have not allowed what the configuration asks for' };
  } catch (error) {
    if (error instanceof FlameError) return { trust: null, problem: error.message };
    throw error;
  }
}

/** The context git signs in: its configuration of the main work tree is in force. */
export function findSigningContext({ git }: Pick<ReadContext, 'git'>, io: Io): GitContext {
  const { mainWorkTree, commonDir } = git.repository;
  return { cwd: mainWorkTree ?? commonDir, env: io.env };
}
