import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { SignedStatement } from '../../domain/ports/sharing-port.ts';
import { type Heartbeat, heartbeatSchema } from '../../domain/state/machine-schemas.ts';
import { makeUnwrittenObject, type UnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { isSignedBy, maySignAs } from '../../util/machine-key.ts';
import { machinesRoot } from '../sync/remote-refs.ts';
import { type ChangeContext, renderStateCommit } from '../write/apply-change.ts';

// Larger commits are no heartbeats of ours.
const maxBytes = 10_000;

export function machineRef(session: SessionId, machine: string): RefName {
  return `${machinesRoot}${session}/${refPart(machine)}` as RefName;
}

function refPart(machine: string): string {
  return machine.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'machine';
}

/** Signs a text with the key of this machine. */
export type Speak = (text: string) => SignedStatement;

/** Makes the next heartbeat: a commit without files on those before it. No two are the same, so each moves the ref. */
export function makeHeartbeat(
  sign: Heartbeat,
  { parents, count }: { readonly parents: readonly ObjectId[]; readonly count: number },
  context: ChangeContext,
  speak: Speak,
): { readonly tip: ObjectId; readonly objects: readonly UnwrittenObject[] } {
  const tree = makeUnwrittenObject(context.objectFormat, 'tree', '');
  const message = `${sign.machine}: heartbeat ${count}\n\n${JSON.stringify(sign, null, 2)}\n`;
  const text = renderStateCommit(tree.oid, parents, message, context);
  const commit = makeUnwrittenObject(context.objectFormat, 'commit', `${text}\nSignature: ${speak(text).signature}\n`);
  return { tip: commit.oid, objects: [tree, commit] };
}

/** A heartbeat as its commit has it. */
export interface HeartbeatOfCommit {
  readonly sign: Heartbeat;
  /** When, by that machine's clock; ISO 8601. */
  readonly at: string;
  /** The key it is signed with, over all of it; null: with none. */
  readonly signer: string | null;
}

/** Reads a machine's heartbeat and its time by that machine's clock; null where it can't be read. */
async function readSign(catFile: CatFile, tip: ObjectId): Promise<HeartbeatOfCommit | null> {
  const object = await catFile.read(tip).catch(() => null);
  if (object === null || object.type !== 'commit' || object.size > maxBytes) return null;
  const [, text = '', signature = ''] = object.bytes.toString().match(signedText) ?? [];
  const [, , ...body] = text.split('\n\n');
  const [, seconds = ''] = text.match(/^committer .* (\d{1,11}) [+-]\d{4}$/m) ?? [];
  try {
    const sign = heartbeatSchema.parse(JSON.parse(body.join('\n\n')));
    const { key = '' } = sign;
    return {
      sign,
      at: new Date(Number(seconds) * 1_000).toISOString(),
      signer: isCanonical(signature) && isSignedBy(key, text, signature) ? key : null,
    };
  } catch {
    return null;
  }
}

/** A commit and the signature over all of it; nothing may follow, or others could make new ones of it. */
const signedText = /^(.*)\nSignature: ([\w-]+)\n$/s;

function isCanonical(signature: string): boolean {
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Reads the heartbeats that machines gave themselves and that can be read, of refs with their tips. */
export async function readAuthenticHeartbeats(
  catFile: CatFile,
  refs: Iterable<readonly [string, ObjectId]>,
): Promise<readonly HeartbeatOfCommit[]> {
  const signs = await Promise.all([...refs].map(([ref, tip]) => readAuthenticHeartbeat(catFile, ref, tip)));
  return signs.filter((sign) => sign !== null && sign !== 'foreign');
}

/** Reads a ref's heartbeat; 'foreign': another key signed it, or it names another machine. null: it can't be read. */
export async function readAuthenticHeartbeat(
  catFile: CatFile,
  ref: string,
  tip: ObjectId,
): Promise<HeartbeatOfCommit | null | 'foreign'> {
  const read = await readSign(catFile, tip);
  const isNamed = read === null || ref.endsWith(`/${refPart(read.sign.machine)}`);
  return maySignAs(ref, read?.signer ?? null) && isNamed ? read : 'foreign';
}
