import type { GitContext } from './run-git.ts';
import { repositorySettings, type SettingsEntry } from './settings.ts';

/**
 * The repository's settings as a configuration file for a cell, without what starts programs there, leads to other
 * files, or holds a secret. Filters are left out too: files in a cell are as git stores them.
 */
export async function readQuietConfig({ env }: GitContext, commonDir: string): Promise<string> {
  const settings = await repositorySettings(env, commonDir);
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
  const subsection = rest.length === 0 ? '' : ` ${quoteValue(rest.join('.'))}`;
  const value = given === null ? '' : ` = ${quoteValue(withoutPassword(given))}`;
  return `[${section}${subsection}]\n\t${name}${value}\n`;
}

function withoutPassword(value: string): string {
  // Before the address may stand the remote helper that is to read it: hg::https://…
  const isAddress = /^(?:[a-z\d+.-]+::)*[a-z][a-z\d+.-]*:\/\//i.test(value);
  return isAddress ? value.replace(/^([^/]*\/\/)[^/]*@/, '$1').replace(/[?#].*$/s, '') : value;
}

/** A value as a configuration file holds it. */
export function quoteValue(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
