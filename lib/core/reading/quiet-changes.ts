import { formatCount } from '../../util/format-figures.ts';
import { type ChangedText, countMatches, findMatch } from './changed-text.ts';
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

const sourceLine = /^\s*"?(?:resolved|source|url|remote|resolution|tarball|(?:\S*:)?registry|index-url)\b/;
const host =
  /\b(?:https?|ssh|git|file):\/\/(?:[^\s"'@/]*@)?([\w.-]+)|["'\s][\w.-]+@([\w.-]+):(?!\/\/)|["'](file:[^\s"']+)/;
const registries =
  /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|index\.crates\.io|static\.crates\.io|pypi\.org|files\.pythonhosted\.org|rubygems\.org|repo\.packagist\.org|api\.github\.com|pub\.dev|repo\.hex\.pm)$/;

/** Where packages come from now, and how many of them are not what was locked, or run something when they are installed. */
export function describeSources({ added, removed, before }: ChangedText): readonly string[] {
  const known = new Set(hostsOf(before.split('\n')));
  const strange = hostsOf(added).filter((name) => !registries.test(name) && !known.has(name));
  const scripts = countMatches(added, runsScript) - countMatches(removed, runsScript);
  const [sums, versions] = [
    countMatches(removed, checksum),
    Math.max(countMatches(removed, version), countMatches(added, version)),
  ];
  const fewer =
    sums - countMatches(added, checksum) - Math.max(0, countMatches(removed, version) - countMatches(added, version));
  const others = Math.min(sums, countMatches(added, checksum)) - versions;
  return [
    ...[...new Set(strange)].map((name) => `gets packages from ${name}`),
    ...(scripts > 0 ? [`${scripts} more that run${scripts === 1 ? 's' : ''} a script when it is installed`] : []),
    ...(fewer > 0 ? [`${formatCount(fewer, 'checksum')} fewer`] : []),
    ...(others > 0 ? [`${formatCount(others, 'other checksum')} of the same version`] : []),
  ];
}

const runsScript = /"hasInstallScript": true|^\s*requiresBuild: true/;
const checksum = /\b(?:integrity|checksum)\b/;
/** A version in a lock file, as a key of its own or in the name of an entry. */
const version = /^\s*"?(?:version|resolved)\b|^\s*["']?\/?@?[\w./-]+[@/][\w:.^~-]+["']?:\s*$/;

/** Whether a file says where package managers get packages from. */
export function isRegistrySetting({ path }: Pick<ChangedText, 'path'>): boolean {
  return /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|bunfig\.toml|\.cargo\/config(?:\.toml)?)$/.test(path);
}

function hostsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    // The index of crates.io.
    if (!sourceLine.test(line) || line.includes('github.com/rust-lang/crates.io-index')) return [];
    const [, name, remote, folder] = host.exec(line) ?? [];
    return name ?? remote ?? folder ?? [];
  });
}

/** Written otherwise than they are shown: order and presence of characters, letters that look like others, far text. */
const disguises: readonly (readonly [RegExp, (found: string) => string])[] = [
  [
    /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u202a-\u202e\u2060-\u2069]|(?<=.)\ufeff|[\u{e0000}-\u{e007f}]/u,
    (found) => `adds the invisible U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  ],
  [
    /(?:[A-Za-z]{2}[\u0400-\u052fΑΒΕΖΗΙΚΜΝΟΡΤΥΧο]|[\u0400-\u052fΑΒΕΖΗΙΚΜΝΟΡΤΥΧο][A-Za-z]{2})[\w\u0400-\u052f]*/,
    (found) => `letters of two alphabets in one word: ${found}`,
  ],
  [/\S {80,}\S.{0,40}/, (found) => `text after many blanks: ${found.slice(1).trim()}`],
];

/** What added lines show less of, or otherwise, than they hold. */
export function describeHiddenText({ kind, added, removed }: ChangedText): readonly string[] {
  if (kind === 'document' || kind === 'lock' || kind === 'made') return [];
  return disguises.flatMap(([pattern, words]) =>
    countMatches(added, pattern) > countMatches(removed, pattern) ? [words(findMatch(added, pattern))] : [],
  );
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
