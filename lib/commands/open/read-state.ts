import { resolve } from 'node:path';
import { findConfigFile } from '../../config/find-config-file.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { parseSessionId } from '../../domain/ids.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Snapshot, Store } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import { openGit } from '../../git/open-git.ts';
import { openStore } from '../../store/open-store.ts';
import { openOrigins } from '../../trust/decisions/open-origins.ts';
import { openShownCommits, type ShownCommits } from '../../trust/shown-commits.ts';
import { createOutput, type Output } from '../../ui/terminal/output.ts';
import { readGitColor } from './git-color.ts';

/** What a command that only reads works with. */
export interface Reading {
  readonly git: GitPort;
  readonly store: Store;
  /** Which decisions were made in this clone. */
  readonly origins: Origins;
  /** Which commits the person was shown. */
  readonly shown: ShownCommits;
  readonly output: Output;
}

/** Opens the repository and its state for the time of `work`; everything is closed afterwards. */
export async function withState(
  args: CommandArgs,
  io: Io,
  work: (reading: Reading) => Promise<number>,
): Promise<number> {
  const context = { cwd: io.cwd, env: io.env };
  // Its content doesn't matter to who only reads; a name that leads nowhere is a mistake all the same.
  if (args.globals.config !== null) await findConfigFile(io.cwd, resolve(io.cwd, args.globals.config));
  const asked = readGitColor(io, args.globals);
  asked.catch(() => undefined);
  const git = await openGit(context, undefined, { signal: io.signal, hurry: io.hurry });
  const { commonDir, objectFormat } = git.repository;
  const store = await openStore({ context, commonDir, objectFormat });
  try {
    const gitColor = await asked;
    const origins = openOrigins({ env: io.env, commonDir });
    const shown = openShownCommits({ env: io.env, commonDir });
    return await work({ git, store, origins, shown, output: createOutput(io, args.globals, { gitColor }) });
  } finally {
    await store.close();
    await git.close();
  }
}

/** The state a command that only reads is about: what is at hand, or the archive where --session names one of there. */
export async function readSnapshot(store: Store, { globals }: CommandArgs): Promise<Snapshot> {
  const snapshot = await store.snapshot();
  const named = snapshot.sessions.find(({ id }) => id === globals.session);
  return named?.archived_at === undefined ? snapshot : store.archive();
}

/** The session a command is about: the one named with --session, else the current one. Throws FlameError `no-session`. */
export function pickSession(snapshot: Snapshot, args: CommandArgs): Session | null {
  if (args.globals.session === null) return snapshot.current;
  const id = parseSessionId(args.globals.session);
  const session = snapshot.sessions.find((candidate) => candidate.id === id);
  if (session !== undefined) return session;
  const known = snapshot.sessions.slice(-5).map((candidate) => `git flame status --session ${candidate.id}`);
  throw new FlameError({
    kind: 'refused',
    code: 'no-session',
    message: `There is no session ${id}.`,
    hints: known.length > 0 ? known : ["git flame run 'What you want done'"],
  });
}

/** The session, or a FlameError `no-session` saying how to start one. */
export function requireSession(snapshot: Snapshot, args: CommandArgs): Session {
  const session = pickSession(snapshot, args);
  if (session !== null) return session;
  throw new FlameError({
    kind: 'refused',
    code: 'no-session',
    message: 'There is no session in this repository yet.',
    hints: ["git flame run 'What you want done'"],
  });
}
