import { type GitContext, runGit } from './run-git.ts';

/** The configuration as git sees it from one place. */
export interface GitConfigReader {
  /** The value that counts, 'true' where a key stands alone; null: it is not set. Keys as git lists them. */
  value(key: string): string | null;
  /** The value of a key as git reads a boolean; a value that is none counts as false. */
  isTrue(key: string): boolean;
  /** Every key and value that a pattern matches, in git's order; `scope`: of one kind of file alone. */
  entries(keys: RegExp, scope?: 'local'): readonly SettingsEntry[];
}

interface SettingsEntry {
  readonly key: string;
  /** null: the key stands alone, which means true. */
  readonly value: string | null;
}

/** Reads all that is configured. Throws FlameError `git-failed`. */
export async function readGitSettings(context: GitContext): Promise<GitConfigReader> {
  const { stdout } = await runGit(context, ['config', '--list', '--show-scope', '--includes', '-z']);
  return parseGitSettings(stdout.toString());
}

/** Those that hold for the repository, whichever work tree asks. */
export function readRepositorySettings(env: GitContext['env'], commonDir: string): Promise<GitConfigReader> {
  return readGitSettings({ cwd: commonDir, env, variables: { GIT_DIR: commonDir } });
}

/**
 * Takes the output of `git config --list --show-scope -z`: a scope, then a key with its value behind a newline.
 */
export function parseGitSettings(output: string): GitConfigReader {
  const fields = output.split('\0');
  const all = fields.flatMap((text, at) => {
    if (at % 2 === 0) return [];
    const end = text.indexOf('\n');
    const [key, value] = end < 0 ? [text, null] : [text.slice(0, end), text.slice(end + 1)];
    return [{ scope: fields[at - 1], key, value }];
  });
  const value = (key: string): string | null => {
    const found = all.findLast((entry) => entry.key === key);
    return found === undefined ? null : (found.value ?? 'true');
  };
  return {
    value,
    isTrue: (key) => isTrue(value(key) ?? ''),
    entries: (keys, scope) =>
      all.filter((entry) => keys.test(entry.key) && (scope === undefined || entry.scope === scope)),
  };
}

/** As git does: words, and numbers that are not 0. */
function isTrue(value: string): boolean {
  return /^(?:true|yes|on)$/i.test(value) || /^[+-]?0*[1-9]\d*[kmg]?$/i.test(value);
}

const programs = /^(?:filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver)$/s;

/**
 * Variables that make every configured filter and merge driver harmless. An agent's .gitattributes picks
 * among the drivers of the person's configuration, and such a program, or a script of the repository it
 * starts, would then run on the agent's files outside any sandbox. Filters do nothing instead (files are as
 * git stores them: git-lfs pointers stay pointers), merge drivers merge as plain text.
 */
export function buildInertDriverVariables(settings: GitConfigReader): Readonly<Record<string, string>> {
  const keys = [...new Set(settings.entries(programs).map(({ key }) => key))];
  // A process left out of the list would win over an empty clean or smudge, so all three are emptied.
  const all = new Set(keys.flatMap((key) => (key.startsWith('filter.') ? filterKeys(key) : [key])));
  const pairs = [...all].map((key) => [key, inertValue(key)] as const);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

function filterKeys(key: string): string[] {
  const name = key.slice(0, key.lastIndexOf('.'));
  return ['clean', 'smudge', 'process', 'required'].map((part) => `${name}.${part}`);
}

function inertValue(key: string): string {
  if (key.endsWith('.required')) return 'false';
  return key.startsWith('merge.') ? 'git merge-file -q --marker-size=%L %A %O %B' : '';
}

/**
 * The repository's settings as a configuration file for a cell, without what starts programs there, leads to other
 * files, or holds a secret. Filters are left out too: files in a cell are as git stores them.
 */
export function renderGitConfigForCell(settings: GitConfigReader): string {
  return settings.entries(/^/, 'local').map(renderEntry).join('');
}

// The settings git itself works by. Other programs keep their tokens in sections of their own.
const quiet = new RegExp(
  [
    '^(?:core|extensions|user|author|committer|i18n|diff|merge|branch|color|column|log|advice|blame|status|rebase|pull',
    '|commit|tag|fetch|index|feature|pack|repack|gc|grep|apply|am|checkout|worktree|rerere|stash|show|versionsort)\\.',
    '|^push\\.default$|^remote\\..*\\.(?:url|fetch|pushurl)$',
  ].join(''),
);
// Exceptions among these: whole sections, then single keys; git gives section and name in small letters.
const loud = new RegExp(
  [
    '^(?:alias|pager|include|includeif|credential|browser|man|difftool|mergetool|guitool|http|url|gpg|filter|trailer',
    '|sendemail|web|submodule|uploadpack|uploadarchive|receive|interactive|init|instaweb|gui|imap|protocol|sequence)\\.',
    '|^core\\.(?:sshcommand|pager|editor|askpass|gitproxy|fsmonitor|hookspath|alternaterefscommand|worktree)$',
    // Of the person's own branches and keys.
    '|^branch\\..*\\.|^user\\.signingkey$',
    '|^diff\\.external$|^diff\\..*\\.(?:command|textconv)$|^merge\\..*\\.driver$',
    '|^remote\\..*\\.(?:uploadpack|receivepack|vcs|proxy.*)$|^commit\\.template$|^tar\\..*\\.command$',
  ].join(''),
);

function renderEntry({ key, value: given }: SettingsEntry): string {
  if (!quiet.test(key) || loud.test(key)) return '';
  const [section = '', ...rest] = key.split('.');
  const name = rest.pop() ?? '';
  const subsection = rest.length === 0 ? '' : ` ${quoteGitConfigValue(rest.join('.'))}`;
  const value = given === null ? '' : ` = ${quoteGitConfigValue(withoutPassword(given))}`;
  return `[${section}${subsection}]\n\t${name}${value}\n`;
}

function withoutPassword(value: string): string {
  // Before the address may stand the remote helper that is to read it: hg::https://…
  const isAddress = /^(?:[a-z\d+.-]+::)*[a-z][a-z\d+.-]*:\/\//i.test(value);
  return isAddress ? value.replace(/^([^/]*\/\/)[^/]*@/, '$1').replace(/[?#].*$/s, '') : value;
}

/** A value as a configuration file holds it. */
export function quoteGitConfigValue(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
