import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { TestRepo } from './repo.ts';

/** What differs from one run of a story to the next, by names: the same value always has the same one. */
export interface Names {
  /** A line with `[c1]` for a commit, `[session1]`, `[worker1]`, `[time]`, `[repo]` and the like. */
  hide(line: string): string;
  /** A command with the values of such names. */
  reveal(command: string): string;
}

/** Each value has a number, in order of appearance; what a commit is called is the beginning of its name. */
const numbered: readonly (readonly [pattern: RegExp, name: (value: string) => string])[] = [
  [/\bses-\d{8}-\d{6}-[0-9a-f]{4}\b/g, () => 'session'],
  [/\b(?:planner|worker|validator|merger)-[0-9a-f]{8}\b/g, (value) => value.slice(0, value.indexOf('-'))],
  [/(?<=\.trees\/)[\w.-]+-[0-9a-f]{4}(?![\w-])/g, () => 'tree'],
  [/\S*\/git-flame-\w{6}(?=\/)/g, () => 'temporary'],
  [/\bsha256:[0-9a-f]{12,64}\b/g, () => 'hash'],
  [/\b[0-9a-f]{7,40}\b/g, () => 'c'],
];

export function makeNames({ path }: Pick<TestRepo, 'path'>): Names {
  const known = new Map<string, string[]>();
  const places = [[path, '[repo]'] as const, [dirname(path), '[folder]'] as const];
  const dayLong = 24 * 3_600_000;
  const days = [-1, 0, 1].map((more) => new Date(Date.now() + more * dayLong).toISOString().slice(0, 10));
  const alike: readonly (readonly [RegExp, string])[] = [
    [new RegExp(`\\b(?:${days.join('|')})[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z| UTC)?`, 'g'), '[time]'],
    [new RegExp(`\\b(?:${days.join('|')})\\b`, 'g'), '[date]'],
    [/(?<=^2?> )\d\d:\d\d:\d\d\b/, '[time]'],
    [/\b(after|took) (?:less than )?[\d.]+ (?:ms|s|min|h)\b/g, '$1 [duration]'],
    [/\((?:less than )?[\d.]+ (?:ms|s|min)\)/g, '([duration])'],
    [new RegExp(`\\b${hostname().replaceAll('.', '\\.')}/[0-9a-f]{8}\\b`, 'g'), '[host]'],
    [/\bpid \d+/g, 'pid [pid]'],
  ];
  const nameOf = (name: string, value: string): string => {
    const values = known.get(name) ?? [];
    known.set(name, values);
    const found = values.findIndex((one) => one.startsWith(value) || value.startsWith(one));
    const at = found < 0 ? values.length : found;
    if (value.length > (values[at]?.length ?? 0)) values[at] = value;
    return `[${name}${at + 1}]`;
  };
  const find = (name: string, kind: string, number: string): string => {
    const value = known.get(kind)?.[Number(number) - 1];
    if (value === undefined) throw new Error(`Nothing was named ${name} before.`);
    return value;
  };
  return {
    hide: (line) => {
      let text = line;
      for (const [place, name] of places) text = text.replaceAll(place, name);
      for (const [pattern, name] of alike) text = text.replace(pattern, name);
      for (const [pattern, name] of numbered) text = text.replace(pattern, (value) => nameOf(name(value), value));
      return text;
    },
    reveal: (command) => {
      const text = places.reduce((all, [place, name]) => all.replaceAll(name, place), command);
      return text.replace(/\[(c|session|tree|temporary|hash|planner|worker|validator|merger)(\d+)\]/g, find);
    },
  };
}
