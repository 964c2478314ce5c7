import { isJsonRecord, type JsonRecord, parseJson } from '../../util/json.ts';
import { type ChangedText, quoteFirst } from './changed-text.ts';

/** What changed in a file that lists dependencies: clauses about them, and about the rest of it. */
export interface DependencyChanges {
  readonly dependencies: readonly string[];
  readonly rest: readonly string[];
}

/** Compares the dependencies of both sides of a manifest, by its keys where it is JSON, else by patterns of its kind. */
export function findDependencyChanges(text: ChangedText): DependencyChanges {
  if (/(?:^|\/)(?:package|composer|deno)\.jsonc?$/.test(text.path) && text.isWhole) {
    const [before, after] = [readObject(text.before), readObject(text.after)];
    if (before !== null && after !== null) return compareManifests(before, after);
  }
  const isTables = text.isWhole && /(?:^|\/)(?:Cargo|pyproject|libs\.versions)\.toml$/.test(text.path);
  if (isTables) {
    const [before, after] = [readTables(text.before), readTables(text.after)];
    return { dependencies: compareEntries(before.entries, after.entries), rest: listChangedTables(before, after) };
  }
  const read = text.isWhole && /(?:^|\/)pom\.xml$/.test(text.path) ? readArtifacts : null;
  const dependencies =
    read === null
      ? compareEntries(versionsOf(text.removed), versionsOf(text.added))
      : compareEntries(read(text.before), read(text.after));
  const isMore = dependencies.length === 0 && text.realLines > 0;
  return { dependencies, rest: isMore ? [`settings of the project changed${quoteFirst(text)}`] : [] };
}

/** {} where there is none: a new manifest is compared with an empty one. */
function readObject(text: string): JsonRecord | null {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isJsonRecord(value) ? value : null;
}

const dependencyKeys = /ependencies$|^require(?:-dev)?$|^imports$/;

function compareManifests(before: JsonRecord, after: JsonRecord): DependencyChanges {
  const dependencies: string[] = [];
  const rest: string[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[key], after[key]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    const entries = (): readonly string[] => compareEntries(entriesOf(old), entriesOf(now));
    const haveEntries = [old, now].every((value) => value === undefined || isJsonRecord(value));
    const named = (changes: readonly string[]): readonly string[] => (haveEntries ? changes : [`${key} changed`]);
    if (dependencyKeys.test(key)) dependencies.push(...named(entries()));
    else if (key === 'scripts') rest.push(...named(entries().map((change) => `script ${change}`)));
    else rest.push(`${key} changed`);
  }
  return { dependencies, rest };
}

function entriesOf(value: unknown): ReadonlyMap<string, string> {
  const entries = isJsonRecord(value) ? Object.entries(value) : [];
  return new Map(
    entries.map(([name, what]) => [name, typeof what === 'string' ? what : JSON.stringify(what)] as const),
  );
}

function compareEntries(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const fresh = [...after].flatMap(([name, version]) => {
    const old = before.get(name);
    if (old === version) return [];
    return [old === undefined ? `${name} ${version} is new`.replace('  ', ' ') : `${name} ${old} → ${version}`];
  });
  return [...fresh, ...[...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} is gone`)];
}

interface Tables {
  /** Entries of the tables and lists that are named for dependencies, with their versions. */
  readonly entries: ReadonlyMap<string, string>;
  /** The other lines of each table, by its name. */
  readonly rest: ReadonlyMap<string, string>;
}

function readTables(text: string): Tables {
  const [entries, rest] = [new Map<string, string>(), new Map<string, string>()];
  let [table, list] = ['', ''];
  for (const line of text.split('\n')) {
    const head = /^\s*\[+([\w."' -]+)\]+\s*(?:#.*)?$/.exec(line)?.[1];
    if (head !== undefined && list === '') table = head;
    const { key = '', value = '' } = /^\s*["']?(?<key>[\w.-]+)["']?\s*=\s*(?<value>.+)$/.exec(line)?.groups ?? {};
    const own = /dependencies\.(?<name>[\w-]+)$/.exec(table)?.groups?.name;
    if (list === '' && value.startsWith('[')) list = key;
    // The table of one dependency: its version counts alone.
    if (own !== undefined) entries.set(own, key === 'version' ? versionIn(value) : (entries.get(own) ?? ''));
    else if (list !== '' && (isOfDependencies(table) || isOfDependencies(list))) readListed(line, entries);
    else if (isOfDependencies(table) && key !== '' && list === '') entries.set(key, versionIn(value));
    else if (!/^\s*(?:#|$|\[)/.test(line)) rest.set(table, `${rest.get(table) ?? ''}${line.trim()}\n`);
    if (list !== '' && /\]\s*(?:#.*)?$/.test(line)) list = '';
  }
  return { entries, rest };
}

/** Tables other than those of dependencies that differ: settings of tests, linters and builds. */
function listChangedTables({ rest: before }: Tables, { rest: after }: Tables): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    if (before.get(name) === after.get(name)) return [];
    return [`${name === '' ? 'its head' : `[${name}]`} ${after.has(name) ? 'changed' : 'is gone'}`];
  });
}

function readListed(line: string, found: Map<string, string>): void {
  for (const [, name = '', version = ''] of line.matchAll(/["']([A-Za-z][\w.-]*(?:\[[^\]]*\])?)\s*([^"']*)["']/g))
    found.set(name, version);
}

/** The version of `{ version = "1", … }`, or the text itself. */
function versionIn(value: string): string {
  return /\bversion\s*=\s*["']([^"']+)/.exec(value)?.[1] ?? value.replace(/^["']|["']\s*(?:#.*)?$/g, '');
}

function readArtifacts(text: string): ReadonlyMap<string, string> {
  const pattern = /<artifactId>([^<]+)<\/artifactId>\s*(?:<version>([^<]+)<\/version>)?/g;
  return new Map([...text.matchAll(pattern)].map(([, name = '', version = '']) => [name, version] as const));
}

function isOfDependencies(name: string): boolean {
  return /dependenc(?:y|ies)|^versions$|^libraries$|^requires$/.test(name);
}

// go.mod; requirements and lists of pyproject; TOML; Gemfile; Maven; Gradle.
const entry = [
  /^\s*(?:require\s+)?(?<name>[\w-]+(?:\.[\w-]+)+\/[\w./-]+)\s+(?<version>v\d\S*)/,
  /^\s*["']?(?<name>[A-Za-z][\w.-]*)(?:\[[\w, -]+\])?\s*(?<version>(?:[=~!]=|[<>]=?|\^)\s*[\d*][^"'\s;#]*)/,
  /^\s*["']?(?<name>[\w.-]+)["']?\s*=\s*(?:["'](?<version>[\^~<>=*]*\d[^"']*|\*)["']|\{[^}]*(?:version|git|path|workspace)\b[^}]*\})/,
  /^\s*gem\s+["'](?<name>[\w-]+)["'](?:\s*,\s*["'](?<version>[^"']+)["'])?/,
  /<(?:artifactId>|PackageReference Include=")(?<name>[\w.-]+)/,
  /\b(?:implementation|api|compileOnly|runtimeOnly|testImplementation|kapt|classpath)\s*\(?\s*["'](?<name>[\w.-]+:[\w.-]+):?(?<version>[\w.-]*)["']/,
];

function versionsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const { name, version = '' } = entry.map((one) => one.exec(line)).find((one) => one !== null)?.groups ?? {};
    if (name !== undefined && !/^(?:version|edition|rust-version|python|requires-python)$/.test(name))
      found.set(name, version.trim());
  }
  return found;
}
