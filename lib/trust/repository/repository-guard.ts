import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import type { TrustItem } from '../../domain/state/repository-trust.ts';
import { type CommandFilePlaces, readFilesOfCommand, readFilesOfWords } from './files-of-command.ts';
import { type FileReadOnce, readFolderOnce, renderPathOfReadFile } from './read-file-once.ts';
import type { RepositoryContent } from './repository-content.ts';

/** Stands before everything that a repository's files make run: it runs as it was allowed, or not at all. */
export interface RepositoryGuard {
  /** A hook's command and the files it names. Throws a FlameError `not-trusted`. */
  requireHook(command: string): void;
  /** Requires permission for programs in cells: setup and the agents' own. Throws a FlameError `not-trusted`. */
  requireAgents(): void;
  /** Everything at once. Throws a FlameError `not-trusted`. */
  requireAll(): void;
}

interface GuardOptions {
  readonly content: RepositoryContent;
  readonly isAllowed: boolean;
  readonly place: CommandFilePlaces;
  /** Commands to allow it, and to continue. */
  readonly hints: readonly string[];
}

export function guardRepository({ content, isAllowed, place, hints }: GuardOptions): RepositoryGuard {
  const requireAll = (): void => {
    if (!isAllowed && content.items.length > 0) throw notTrustedError(content.items, hints);
  };
  const requireSame = (before: readonly FileReadOnce[], now: readonly FileReadOnce[]): void => {
    const changed = changedPaths(before, now);
    if (changed.length > 0)
      throw changedSince(
        changed.map((path) => renderPathOfReadFile({ path }, place.root)),
        hints,
      );
  };
  return {
    requireAll,
    requireHook(command) {
      requireAll();
      const files = content.hooks.get(command);
      if (files === undefined) throw notTrustedError(content.items, hints);
      requireSame(files, readFilesOfCommand(command, place));
    },
    requireAgents() {
      requireAll();
      for (const { command, files } of content.adapters) requireSame(files, readFilesOfWords(command, place));
      const { plugin } = content;
      if (plugin !== null) requireSame([plugin], [readFolderOnce(plugin.path)]);
    },
  };
}

/** Files that came, went, changed, or are reached by another way. */
function changedPaths(before: readonly FileReadOnce[], now: readonly FileReadOnce[]): readonly string[] {
  const key = ({ path, sha256, realPath }: FileReadOnce): string => JSON.stringify([path, sha256, realPath]);
  const [olds, news] = [new Set(before.map(key)), new Set(now.map(key))];
  const changed = [...before.filter((file) => !news.has(key(file))), ...now.filter((file) => !olds.has(key(file)))];
  return [...new Set(changed.map(({ path }) => path))];
}

/** A FlameError `not-trusted` that names what is asked for. */
export function notTrustedError(items: readonly TrustItem[], hints: readonly string[]): FlameError {
  return waits('Files of this repository ask for something only you can allow, so nothing was started.', {
    details: items.map(describeItem),
    hints,
    data: { items: items.map(({ kind, where, sha256 }) => ({ kind, where, sha256 })) },
  });
}

/** One line for a person: what asks for what, and where that is written. */
export function describeItem({ where, source, effect }: TrustItem): string {
  return source === where ? `${where} ${effect}` : `${where} (${source}) ${effect}`;
}

function changedSince(paths: readonly string[], hints: readonly string[]): FlameError {
  const message = `${paths.join(', ')} changed after you allowed it, so what names it was not run.`;
  return waits(message, { hints, data: { changed: paths } });
}

function waits(message: string, init: Pick<FlameErrorInit, 'details' | 'hints' | 'data'>): FlameError {
  return new FlameError({ ...init, kind: 'waiting', code: 'not-trusted', message });
}
