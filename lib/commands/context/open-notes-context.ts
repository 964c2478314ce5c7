import { basename, resolve } from 'node:path';
import {
  describeTooNewConfig,
  findConfigFile,
  findUpgradeCommand,
  readVersionIfTooNew,
} from '../../config/find-config-file.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { parseSessionId, sessionIdPattern } from '../../domain/ids.ts';
import { noSessionError } from '../../domain/input-errors.ts';
import type { GitPort, Repository } from '../../domain/ports/git-port.ts';
import type { AdmittedSnapshot, OneSessionSnapshot, Snapshot, TrustedStore } from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, CommandName, Io } from '../../domain/view-models/command.ts';
import { gitInPersonWorkTree } from '../../git/objects/git-access.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { discoverRepository } from '../../git/process/discover-repository.ts';
import { type GitIdentities, openGitIdentities } from '../../git/process/git-identity.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { AdmissionStore } from '../../store/admission/admission-store.ts';
import { adoptMovedClone } from '../../trust/clone-folders.ts';
import { type LastSeenCommits, openLastSeenCommits } from '../../trust/last-seen-commits.ts';
import { createOutput, type Output } from '../../ui/terminal/output.ts';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { readGitColor } from './git-preferences.ts';
import { openTrustedStore } from './open-trusted-store.ts';

/** The parts for a command that only reads notes. */
export interface NotesReadContext {
  readonly repository: Repository;
  /** Author and committer here. */
  readonly idents: GitIdentities;
  /** The repository's objects and refs, which all parts read by one git. */
  readonly catFile: CatFile;
  /** The state as this clone trusts it. */
  readonly store: AdmissionStore;
  /** Which decisions were made in this clone. */
  readonly decided: DecisionLog;
  /** Which commits the person was shown. */
  readonly shown: LastSeenCommits;
  readonly output: Output;
  readonly selected: SelectedSession;
  /** The configuration named with --config, absolute; null: the one of the repository. */
  readonly configFile: string | null;
  readonly commandLine: CommandLine;
}

/** Opens the state of the repository for the time of `work`; it is closed afterwards. */
export async function withStore(
  args: CommandArgs,
  io: Io,
  work: (looking: NotesReadContext) => Promise<number>,
): Promise<number> {
  const context = gitContextOf(io);
  // Its content doesn't matter to who only reads; a name that leads nowhere is a mistake all the same.
  const { config, session } = args.globals;
  const configFile = config === null ? null : resolve(io.cwd, config);
  if (configFile !== null) await findConfigFile(io.cwd, configFile);
  const asked = readGitColor(io, args.globals);
  asked.catch(() => undefined);
  const repository = await discoverRepository(context);
  const { commonDir, objectFormat } = repository;
  await adoptMovedClone(io.env, repository);
  const idents = openGitIdentities(gitInPersonWorkTree({ context, repository }));
  const catFile = new CatFile(context, commonDir);
  const storing = { context, commonDir, objectFormat, idents, catFile };
  const { store, decided } = await openTrustedStore(storing);
  try {
    // git is asked for the notes while it still answers what else was asked.
    store.raw.begin();
    const gitColor = await asked;
    const shown = openLastSeenCommits({ env: io.env, commonDir });
    const output = createOutput(io, args.globals, { gitColor });
    await warnOfNewerConfig(args.command, { git: { repository }, configFile, output });
    const selected = selectSession(session);
    const commandLine = readCommandLine(args, io);
    const looking = {
      repository,
      idents,
      catFile,
      store,
      decided,
      shown,
      output,
      selected,
      configFile,
      commandLine,
    };
    return await work(looking);
  } finally {
    await store.close();
    await catFile.close();
  }
}

/** git as it runs where a command was typed, within the limits that the command has for it. */
export function gitContextOf({ cwd, env, gitLimits: limits, signal: stopped }: Io): GitContext {
  if (limits === undefined) return { cwd, env };
  const makeError = (cause: string): FlameError =>
    new FlameError({ kind: 'environment', code: 'no-answer', message: `git ${cause} there.` });
  return { cwd, env, guard: { limits, stopped, makeError } };
}

/** Commands that work with a configuration that others refuse. */
const looking: readonly CommandName[] = ['status', 'show', 'log', 'stats', 'agent', 'rescue'];

/** Warns at commands that only read that the configuration is too new for those that change state. */
async function warnOfNewerConfig(
  command: CommandName,
  {
    git,
    configFile,
    output,
  }: {
    readonly git: Pick<GitPort, 'repository'>;
    readonly configFile: string | null;
    readonly output: Pick<Output, 'warn'>;
  },
): Promise<void> {
  const root = git.repository.mainWorkTree;
  if (!looking.includes(command) || (root === null && configFile === null)) return;
  const file = await findConfigFile(root ?? '/', configFile).catch(() => null);
  const version = file === null ? null : readVersionIfTooNew(file);
  if (file === null || version === null) return;
  output.warn(
    `${describeTooNewConfig(basename(file), version)} Commands that change anything are refused; to upgrade: ${findUpgradeCommand()}`,
  );
}

/** The session a command is about: the one named with --session, else the one that is current when it is asked for. */
export interface SelectedSession {
  /** As it was typed; null: the current one. */
  readonly name: string | null;
  /** null: no session was ever started. Throws FlameError `no-session` where the one named isn't there. */
  pick(snapshot: Sessions): Session | null;
  /** The session, or a FlameError `no-session` saying how to start one. */
  require(snapshot: Sessions): Session;
}

type Sessions = Pick<Snapshot, 'sessions' | 'current'>;

export function selectSession(name: string | null): SelectedSession {
  const pick = (snapshot: Sessions): Session | null => (name === null ? snapshot.current : findSession(snapshot, name));
  return { name, pick, require: (snapshot) => pick(snapshot) ?? noneYet() };
}

/** Read-only commands take a session as their operand, too. */
export function takeOperandAsSession<Name extends CommandName>(args: CommandArgs<Name>): CommandArgs<Name> {
  const [name] = args.positionals;
  const isSession = name !== undefined && sessionIdPattern.test(name);
  return isSession ? { ...args, globals: { ...args.globals, session: name } } : args;
}

/** The state a command that only reads is about: what is at hand, or the archive where the session named is there. */
export async function readSessionSnapshot(
  store: TrustedStore,
  { name }: Pick<SelectedSession, 'name'>,
): Promise<AdmittedSnapshot> {
  const snapshot = await store.snapshot();
  const named = snapshot.sessions.find(({ id }) => id === name);
  return named?.archived_at === undefined ? snapshot : store.archive();
}

/** Like readSessionSnapshot, of the session meant alone. */
export async function readSelectedSession(store: TrustedStore, selected: SelectedSession): Promise<OneSessionSnapshot> {
  const look = await store.readOneSession((sessions) => selected.pick(sessions)?.id ?? null);
  const named = look.sessions.find(({ id }) => id === selected.name);
  return named?.archived_at === undefined ? look : store.archive();
}

function findSession({ sessions }: Sessions, name: string): Session {
  const id = parseSessionId(name);
  const session = sessions.find((candidate) => candidate.id === id);
  if (session !== undefined) return session;
  const known = sessions.slice(-5).map((candidate) => `git flame status --session ${candidate.id}`);
  throw noSessionError(id, known.length > 0 ? known : ["git flame run 'What you want done'"]);
}

function noneYet(): never {
  throw noSessionError(null, ["git flame run 'What you want done'"]);
}
