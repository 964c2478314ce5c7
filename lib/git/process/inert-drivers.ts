import type { Settings } from './settings.ts';

const programs = /^(?:filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver)$/s;

/**
 * Variables that make every configured filter and merge driver harmless. An agent's .gitattributes picks
 * among the drivers of the person's configuration, and such a program, or a script of the repository it
 * starts, would then run on the agent's files outside any sandbox. Filters do nothing instead (files are as
 * git stores them: git-lfs pointers stay pointers), merge drivers merge as plain text.
 */
export function inertDrivers(settings: Settings): Readonly<Record<string, string>> {
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
