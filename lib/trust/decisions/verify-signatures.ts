import { join } from 'node:path';
import { type AllowedSigner, parseAllowedSigner } from '../../domain/config/allowed-signers.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import {
  mostSignaturesOfSession,
  type RefusedSignature,
  renderSignedSessionText,
  type SessionSignature,
  type SignatureNote,
  signatureNamespace,
} from '../../domain/state/signatures.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import {
  isSignatureOverText,
  isTextSignedByPrincipal,
  requireSafeVerifyingProgram,
} from '../../git/process/ssh-signature.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { cloneStateDir } from '../../util/user-folders.ts';
import { replaceStateFile } from '../clone-folders.ts';

/** Decisions signed by a signer the person named. */
interface SignedDecisions {
  /** Digests of decisions, and whose they are. */
  readonly signed: ReadonlyMap<string, string>;
  /** Digests of what was used up or taken back, by the same people. */
  readonly settled: ReadonlySet<string>;
  readonly refused: readonly RefusedSignature[];
}

interface VerifyingOptions {
  readonly context: GitContext;
  /** `trust.signers`. */
  readonly signers: readonly string[];
  /** The moment keys have to be valid at; null: none is known, and nothing counts. */
  readonly at: Date | null;
  /** Signatures that their clones replaced by newer ones: they were put back. */
  readonly replaced: ReadonlySet<string>;
  /** The first commit of the branch a session is about; null where there is none. */
  readonly rootOf: (session: SessionId) => Promise<string | null>;
}

/** Which of the signed decisions count by `trust.signers`. Reads files and starts programs; writes nothing. */
export async function verifySessionSignatures(
  notes: readonly SignatureNote[],
  options: VerifyingOptions,
): Promise<SignedDecisions> {
  const signed = new Map<string, string>();
  const settled = new Set<string>();
  const refused: RefusedSignature[] = [];
  const signers = options.signers.flatMap((line) => parseAllowedSigner(line) ?? []);
  const untrusted = await verifierProblem(options.context);
  for (const { session, seals } of notes) {
    const root = await options.rootOf(session);
    // In one line: anyone who may push decides how many there are.
    const left = [...new Set(seals.slice(0, -mostSignaturesOfSession).map(({ by }) => by))];
    const why = `${seals.length - mostSignaturesOfSession} signatures are older than the ${mostSignaturesOfSession} newest of the session, and were not checked`;
    if (left.length > 0) refused.push({ session, by: left.slice(0, 5).join(', '), why });
    for (const seal of seals.slice(-mostSignaturesOfSession)) {
      const why = untrusted ?? (await refusalOf(session, seal, { ...options, signers, root }));
      if (why !== null) {
        refused.push({ session, by: seal.by, why });
        continue;
      }
      for (const digest of seal.decisions) signed.set(digest, seal.by);
      for (const digest of seal.settled) settled.add(digest);
    }
  }
  // A decision that one signer took back is taken back for all: the person is asked again.
  for (const digest of settled) signed.delete(digest);
  return { signed, settled, refused };
}

/** Why nothing can be verified here; null where it can. */
async function verifierProblem(context: GitContext): Promise<string | null> {
  try {
    await requireSafeVerifyingProgram(context);
    return null;
  } catch (error) {
    if (error instanceof FlameError) return error.message.replace(/\.$/, '');
    throw error;
  }
}

interface Judging extends Pick<VerifyingOptions, 'context' | 'at' | 'replaced'> {
  readonly signers: readonly AllowedSigner[];
  readonly root: string | null;
}

/** Why a signature doesn't count; null where it does. */
async function refusalOf(
  session: SessionId,
  seal: SessionSignature,
  { context, at, replaced, signers, root }: Judging,
): Promise<string | null> {
  if (at === null) return "the time can't be saved here, so it is not known whether its key is still valid";
  if (replaced.has(seal.signature)) return 'its clone has replaced it since, and it was restored by someone else';
  if (seal.repository !== root) return 'it is about another repository, or a branch that is not here';
  const text = {
    text: renderSignedSessionText(session, seal),
    signature: seal.signature,
    namespace: signatureNamespace,
  };
  if (await isTextSignedByPrincipal(context, text, { principal: seal.by, signers, at })) return null;
  if (!(await isSignatureOverText(context, text))) return 'it does not sign the decisions it comes with';
  const always = signers.map((signer) => ({ ...signer, options: withoutTimes(signer.options) }));
  return (await isTextSignedByPrincipal(context, text, { principal: seal.by, signers: always, at }))
    ? `its key is not valid at ${at.toISOString()}, the latest time this clone has seen`
    : `none of trust.signers names its key for ${seal.by}`;
}

function withoutTimes(options: string): string {
  return options
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .filter((option) => !option.startsWith('valid-'))
    .join(',');
}

/**
 * The latest time this clone has seen, `now` included: a clock that is set back brings no key back to life. It is kept
 * with what was decided here; null where it can't be.
 */
export function advanceLatestTimeSeen(
  env: Readonly<Record<string, string | undefined>>,
  commonDir: string,
  now: Date,
): Date | null {
  const file = join(cloneStateDir(env, commonDir), 'latest-time');
  const kept = new Date(readTextOrEmpty(file).trim());
  // Where none can be read it is an invalid date, which is later than no time.
  if (now <= kept) return kept;
  return replaceStateFile(file, `${now.toISOString()}\n`) ? now : null;
}
