import { homedir } from 'node:os';
import type { LoadedConfig } from '../../config/load-config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/view-models/command.ts';
import {
  compareContent,
  isContentAllowed,
  type PermissionPlace,
  readPermission,
  savePermission,
} from '../../trust/repository/permission.ts';
import { type RepositoryContent, readRepositoryContent } from '../../trust/repository/repository-content.ts';
import { guardRepository, notTrustedError, type RepositoryGuard } from '../../trust/repository/repository-guard.ts';
import { askToAllowTrustChanges } from '../../ui/questions/ask-in-command.ts';
import { hasTerminal } from '../../ui/questions/terminal-gates.ts';
import { userDataDir } from '../../util/user-folders.ts';
import type { CommandLine } from './command-line.ts';
import type { ReadContext } from './open-read-context.ts';
import { requireTypedByPerson, trustErrorSubject } from './require-typed-by-person.ts';

/** Requests of a configuration, and where the person's decision about them is kept. */
export interface PermissionRequest {
  readonly content: RepositoryContent;
  readonly place: PermissionPlace;
}

/** Asks the person to allow what a repository's files make run. */
export interface PermissionGate {
  /**
   * Has the person allow what a configuration asks for, unless they have. Throws a FlameError `not-trusted`
   * where no person can be asked, `trust-refused` at a no. A command that starts nothing continues: what it
   * may not start is refused when it is about to be. `missing`: programs that its agents need and this machine lacks.
   */
  admit(asked: PermissionRequest, goOn: () => () => void, missing: readonly string[]): Promise<void>;
  /** Guard by the requests admitted last. */
  readonly guard: RepositoryGuard;
}

/** Gathers what the files of a repository make run or show. Throws FlameErrors, see readRepositoryContent. */
export function readPermissionRequest(
  loaded: LoadedConfig,
  io: Io,
  { git, root }: { readonly git: GitPort; readonly root: string },
): PermissionRequest {
  const { commonDir } = git.repository;
  const places = {
    root,
    commonDir,
    home: io.env.HOME ?? homedir(),
    dataDir: userDataDir(io.env),
    searchPath: io.env.PATH ?? '',
  };
  return {
    content: readRepositoryContent(loaded, places),
    place: { env: io.env, commonDir, root, config: loaded.file },
  };
}

export function openPermissionGate(
  io: Io,
  { output, commandLine }: Pick<ReadContext, 'output' | 'commandLine'>,
): PermissionGate {
  const { trustFirst, trustAgain } = commandLine.hints;
  let guard: RepositoryGuard | null = null;
  return {
    async admit({ content, place }, pause, missing) {
      // Once work has begun, it continues without another question.
      const hints = guard === null ? trustFirst : trustAgain;
      const admitted = await isAdmitted(commandLine, io, {
        content,
        place,
        hints,
        ask: async (changes) => {
          const goOn = pause();
          const onEnd = (): FlameError => notTrustedError(content.items, hints);
          return askToAllowTrustChanges(io, changes, { style: output.errorStyle, onEnd, missing }).finally(goOn);
        },
      });
      guard = guardRepository({
        content,
        isAllowed: admitted,
        hints: trustAgain,
        place: { root: place.root, searchPath: io.env.PATH ?? '' },
      });
    },
    get guard() {
      if (guard === null) throw new Error('Internal error: nothing was admitted');
      return guard;
    },
  };
}

interface Asking extends PermissionRequest {
  readonly hints: readonly string[];
  ask(changes: ReturnType<typeof compareContent>): Promise<boolean>;
}

async function isAdmitted(
  { startsThings, decisionsFile }: CommandLine,
  io: Io,
  { content, place, hints, ask }: Asking,
): Promise<boolean> {
  const permission = content.items.length === 0 ? null : readPermission(place);
  if (isContentAllowed(content, permission)) return true;
  if (!startsThings) return false;
  if (decisionsFile !== null || !hasTerminal(io)) throw notTrustedError(content.items, hints);
  requireTypedByPerson(trustErrorSubject, place, io);
  if (!(await ask(compareContent(permission, content.items)))) throw refused(hints);
  savePermission(place, content, new Date());
  return true;
}

function refused(hints: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'trust-refused',
    message: "You did not allow what this repository's files would run, so nothing was started.",
    hints,
  });
}
