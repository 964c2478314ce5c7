import type { ChangedText } from './changed-text.ts';
import { type FileKind, kindOfFile, languageOf } from './file-kind.ts';

// What changes that show few or no lines do: those of a name, of lock files, of binary files.

const readAs: Partial<Readonly<Record<FileKind, string>>> = {
  test: 'a test',
  ci: 'a pipeline',
  build: 'part of the build',
  dependencies: 'a list of dependencies',
  settings: 'settings of a tool',
};
const testFolder = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)(?=\/)/i;

/** What a new name makes of a file: tools go by it. */
export function describeMove({ path, kind, language, file: { movedFrom } }: ChangedText): readonly string[] {
  if (movedFrom === null) return [];
  const [before, now] = [readAs[kindOfFile(movedFrom.path)], readAs[kind]];
  if (before !== now)
    return [
      ...(before === undefined ? [] : [`by its new name no longer ${before}`]),
      ...(now === undefined ? [] : [`by its new name ${now}`]),
    ];
  if (kind === 'test' && testFolder.test(movedFrom.path) && !testFolder.test(path))
    return [`moved out of ${testFolder.exec(movedFrom.path)?.[0].replace(/^\//, '') ?? ''}/`];
  return language !== 'other' && languageOf(movedFrom.path) === 'other' ? ['by its new name a program'] : [];
}

const sourceLine = /^\s*"?(?:resolved|source|url|remote|resolution|tarball)\b/;
const host = /\b(?:https?|ssh|git|file):\/\/(?:[^\s"'@/]*@)?([\w.-]+)/;
const registries =
  /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|index\.crates\.io|static\.crates\.io|pypi\.org|files\.pythonhosted\.org|rubygems\.org|repo\.packagist\.org|api\.github\.com|pub\.dev|repo\.hex\.pm)$/;

/** Where a lock file gets packages from now, and how many of them run something when they are installed. */
export function describeSources({ added, removed, before }: ChangedText): readonly string[] {
  const known = new Set(hostsOf(before.split('\n')));
  const strange = hostsOf(added).filter((name) => !registries.test(name) && !known.has(name));
  const scripts = countScripts(added) - countScripts(removed);
  return [
    ...[...new Set(strange)].map((name) => `gets packages from ${name}`),
    ...(scripts > 0 ? [`${scripts} more that run${scripts === 1 ? 's' : ''} a script when it is installed`] : []),
  ];
}

function hostsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    // The index of crates.io.
    if (!sourceLine.test(line) || line.includes('github.com/rust-lang/crates.io-index')) return [];
    const name = host.exec(line)?.[1];
    return name === undefined ? [] : [name];
  });
}

function countScripts(lines: readonly string[]): number {
  return lines.filter((line) => /"hasInstallScript": true|^\s*requiresBuild: true/.test(line)).length;
}

/** The part of a name by which a file passes for one that tools write. */
export function nameOfMade(path: string): string {
  return /(?:\.min)?\.[^./]+(?:\.map)?$/.exec(path)?.[0] ?? '';
}

/** Pictures, fonts, sound: nothing runs them. */
export function isMedia(path: string): boolean {
  return /\.(?:png|jpe?g|gif|ico|icns|bmp|webp|avif|tiff?|psd|woff2?|ttf|otf|eot|mp[34]|m4[av]|wav|ogg|flac|webm|mov|avi|pdf)$/i.test(
    path,
  );
}
