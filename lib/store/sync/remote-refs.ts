import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { type GitContext, runGit, runGitForLines, runGitForText } from '../../git/process/run-git.ts';
import { nearestName } from '../../util/nearest-name.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { listRefs } from '../notes/read-tips.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import {
  type PushRefusal,
  parsePushRefusal,
  pushFailed,
  readStorageFailure,
  remoteCannotStore,
  remoteNotAtomic,
  remoteRefuses,
  remoteUnreachable,
} from './sync-errors.ts';

/** Ref that a remote's state is copied to. Outside refs/blueflame/*, or a push of that would publish the copies. */
export function trackingRef(remote: string, ref: string): string {
  return `refs/blueflame-remotes/${remote}/${ref.slice(stateRoot.length)}`;
}

/** Below it each machine of a session has one ref that no other machine moves: its heartbeat. */
export const machinesRoot = 'refs/blueflame/machines/';

const stateRoot = 'refs/blueflame/';
// A server that accepts and never answers holds git no longer than that; one at work says something every 5 s.
const silence = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=60'];
// A filter or depth of the clone must not apply: state is merged from whole histories and bodies. What agents
// left uncommitted (rescue) is shared only by the person.
const fetchOptions = [
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-filter',
  '--refmap=',
  '--quiet',
];

/** Brings the remote's state into its tracking refs and says where each stands. */
export async function fetchState(context: GitContext, remote: string): Promise<RemoteRefs> {
  const spec = `+${stateRoot}*:refs/blueflame-remotes/${remote}/*`;
  const withheld = `^${stateRoot}rescue/*`;
  await fetch(context, remote, ['--prune', remote, spec, withheld]);
  const root = `refs/blueflame-remotes/${remote}/`;
  const refs = await listRefs(context, root);
  return new Map([...refs].map(([ref, oid]) => [`${stateRoot}${ref.slice(root.length)}`, oid]));
}

/** Brings the commits of a branch, moving no ref. */
export function fetchBranchCommits(context: GitContext, remote: string, branch: string): Promise<void> {
  return fetch(context, remote, [remote, `refs/heads/${branch}`]);
}

/** Fetches a branch of the remote, and returns its tip; null: there is none. */
export async function fetchRemoteBranchTip(
  context: GitContext,
  remote: string,
  branch: string,
): Promise<ObjectId | null> {
  const ref = `refs/heads/${branch}`;
  const tip = (await listRemoteRefTips(context, remote, ref)).find(([name]) => name === ref)?.[1] ?? null;
  if (tip !== null) await fetchBranchCommits(context, remote, branch);
  return tip;
}

/** Brings the objects of the remote's state, moving no ref. */
export async function fetchStateObjects(context: GitContext, remote: string): Promise<RemoteRefs> {
  const refs = await listRemoteRefTips(context, remote, `${stateRoot}*`);
  const wanted = refs.map(([ref]) => ref).filter((ref) => !ref.startsWith(`${stateRoot}rescue/`));
  if (wanted.length > 0) await fetch(context, remote, ['--stdin', remote], `${wanted.join('\n')}\n`);
  return new Map(refs);
}

/** The refs of a remote that match a pattern, and where they stand. Throws FlameError `remote-unreachable`. */
export async function listRemoteRefTips(
  context: GitContext,
  remote: string,
  pattern: string,
): Promise<readonly (readonly [string, ObjectId])[]> {
  const listed = await runGit(context, ['ls-remote', '--quiet', remote, pattern], { accept: [0, 128] });
  if (listed.exitCode !== 0) throw remoteUnreachable(remote, listed.stderr);
  const rows = listed.stdout
    .toString()
    .split('\n')
    .filter((row) => row !== '');
  return rows.map((row) => {
    const [oid = '', ref = ''] = row.split('\t');
    return [ref, oid as ObjectId];
  });
}

/** Result of a push. `rejected`: nothing moved there; the refs there show whether another clone was first. */
export type PushResult = { readonly kind: 'done' } | ({ readonly kind: 'rejected' } & PushRefusal);

const notAtomic = /does not support --atomic/;

/** A ref of a remote that is to move. */
export interface PushSpec {
  /** '': it goes. */
  readonly from: string;
  readonly to: string;
  /** Commit the ref must have on the remote, null: none; absent: any ancestor of `from`. */
  readonly expected?: string | null;
}

/** Result of `git push --porcelain`. */
interface PushEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Pushes all or nothing, never by force. Throws FlameErrors `remote-refuses-state`, `remote-cannot-store` and `push-failed`. */
export async function pushState(
  context: GitContext,
  remote: string,
  specs: readonly PushSpec[],
  { isAllOrNothing = false }: { readonly isAllOrNothing?: boolean } = {},
): Promise<PushResult> {
  const send = (isAtomic: boolean): Promise<PushEnd> => push(context, remote, specs, isAtomic);
  const atomic = await send(true);
  if (isAllOrNothing && notAtomic.test(atomic.stderr)) throw remoteNotAtomic(remote);
  // Old servers: then one ref after the other, each still a compare-and-swap.
  const result = notAtomic.test(atomic.stderr) ? await send(false) : atomic;
  if (result.exitCode === 0) return { kind: 'done' };
  const noRoom = readStorageFailure(result);
  if (noRoom !== null) throw remoteCannotStore(remote, noRoom, result.stderr);
  const refusal = parsePushRefusal(result);
  if (refusal === null) throw pushFailed(remote, result.stderr);
  if (refusal.mayPass) return { kind: 'rejected', ...refusal };
  throw remoteRefuses(remote, refusal);
}

// A push names each of them, and some hosts take no more in one.
const mostForgotten = 500;

/**
 * Takes refs away from a remote that are still where they were seen, null: wherever they are. What another clone moved
 * since stays, and the next sync finds it there. Some servers delete nothing: there they do no harm.
 */
export async function deleteRemoteRefs(
  context: GitContext,
  remote: string,
  refs: ReadonlyMap<string, ObjectId | null>,
): Promise<void> {
  const all = [...refs].map(([to, seen]): PushSpec => ({ from: '', to, ...(seen === null ? {} : { expected: seen }) }));
  for (let first = 0; first < all.length; first += mostForgotten) {
    const some = all.slice(first, first + mostForgotten);
    await push(context, remote, some, false).catch(() => null);
  }
}

function refspecs(remote: string, specs: readonly PushSpec[]): string[] {
  const leases = specs.flatMap(({ to, expected }) =>
    expected === undefined ? [] : [`--force-with-lease=${to}:${expected ?? ''}`],
  );
  return [...leases, remote, ...specs.map(({ from, to }) => `${from}:${to}`)];
}

async function push(
  context: GitContext,
  remote: string,
  specs: readonly PushSpec[],
  isAtomic: boolean,
): Promise<PushEnd> {
  const options = [
    ...(isAtomic ? ['--atomic'] : []),
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    '--signed=no',
  ];
  // In a mirror clone git takes no refspecs, and a plain push there would be one by force.
  const settings = ['-c', `remote.${remote}.mirror=false`];
  const result = await runGit(context, [...silence, ...settings, 'push', ...options, ...refspecs(remote, specs)], {
    accept: [0, 1, 128],
  });
  return { ...result, stdout: result.stdout.toString() };
}

async function fetch(context: GitContext, remote: string, args: readonly string[], input?: string): Promise<void> {
  const result = await runGit(context, [...silence, 'fetch', ...fetchOptions, ...args], {
    accept: [0, 1, 128],
    ...(input === undefined ? {} : { input }),
  });
  if (result.exitCode !== 0) throw remoteUnreachable(remote, result.stderr);
}

/**
 * The remote to share with: the one named, else the current branch's, else the only one, else origin. Throws FlameError
 * `no-remote`.
 */
export async function chooseRemote(context: GitContext, name: string | null): Promise<string> {
  const remotes = await runGitForLines(context, ['remote']);
  if (name !== null) {
    if (remotes.includes(name)) return name;
    throw notAmong(`There is no remote ${JSON.stringify(name)}.`, remotes, name);
  }
  const upstream = await branchRemote(context);
  if (upstream !== null && remotes.includes(upstream)) return upstream;
  const [only] = remotes;
  if (only !== undefined && remotes.length === 1) return only;
  if (remotes.includes('origin')) return 'origin';
  const problem = only === undefined ? 'This repository has no remote to sync with.' : null;
  throw notAmong(problem ?? 'There are several remotes and none is named origin.', remotes, null);
}

async function branchRemote(context: GitContext): Promise<string | null> {
  const branch = await runGitForText(context, ['symbolic-ref', '--quiet', '--short', 'HEAD'], {
    accept: [0, 1],
  });
  if (branch === '') return null;
  const remote = await runGitForText(context, ['config', '--get', `branch.${branch}.remote`], {
    accept: [0, 1],
  });
  return remote === '' ? null : remote;
}

function notAmong(message: string, remotes: readonly string[], name: string | null): FlameError {
  const near = name === null ? null : nearestName(name, remotes);
  const known = near === null ? remotes.slice(0, 5) : [near];
  const hints = known.map((remote) => `git flame sync ${shellQuote(remote)}`);
  return noRemoteError(message, hints.length > 0 ? hints : [`git remote add ${shellQuote(name ?? 'origin')} URL`], {
    remotes,
  });
}

/** None is there, or several and none of them is the obvious one. */
export function noRemoteError(
  message: string,
  hints: readonly string[],
  data: Readonly<Record<string, unknown>> = {},
): FlameError {
  return new FlameError({ kind: 'environment', code: 'no-remote', message, hints, data });
}
