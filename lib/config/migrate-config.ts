import { type Document, isAlias, isMap, isPair, isScalar, isSeq, Pair, Scalar, type YAMLMap, YAMLSeq } from 'yaml';
import { isSecretsGlob } from '../domain/config/hidden-paths.ts';
import { supportedSchemaVersion } from '../domain/config/schema-version.ts';
import { badConfigError, throwFileProblems } from './throw-file-problems.ts';
import { readYamlSource } from './yaml-source.ts';

/** Applies a step and returns notes on decisions that a person should check, if any. */
type Step = (document: Document) => readonly string[];

/** Steps from version n to n + 1, by n. */
const steps: readonly Step[] = [toVersion1, splitBlockedPaths];
/** Steps for a file that is only read: its meaning stays the same. */
const readingSteps: readonly Step[] = [toVersion1, keepBlockedHidden];

interface Migration {
  /** The version the document had; null if it names none (then it counts as 1). */
  readonly version: number | null;
  readonly notes: readonly string[];
}

/** Brings a document that is only read to the newest version where it stands; values keep their places in the text. */
export function migrateDocument(document: Document): Migration {
  return takeSteps(document, readingSteps);
}

function takeSteps(document: Document, all: readonly Step[]): Migration {
  if (!isMap(document.contents)) return { version: null, notes: [] };
  const found = document.get('schema_version') ?? null;
  // The schema reports a value that is no version.
  if (found !== null && (typeof found !== 'number' || !Number.isInteger(found) || found < 0))
    return { version: null, notes: [] };
  const version = found === null ? null : Number(found);
  const notes: string[] = [];
  for (let at = version ?? 1; at < supportedSchemaVersion; at++) notes.push(...(all[at]?.(document) ?? []));
  if (version !== null && version < supportedSchemaVersion) setVersion(document, document.contents);
  return { version, notes };
}

/**
 * Rewrites a configuration in the newest form, with its comments. A text that only lacks its version gets
 * that line and stays as it was otherwise. Throws a FlameError `bad-config` where the text isn't YAML.
 */
export function migrateConfigText(
  text: string,
  fileName = '.blueflame.yml',
): { readonly text: string; readonly changed: boolean; readonly notes: readonly string[] } {
  const source = readYamlSource(text, fileName);
  throwFileProblems(source, source.problems, badConfigError);
  const { document } = source;
  if (!isMap(document.contents) && document.toJS() !== null) throwFileProblems(source, [notAMap], badConfigError);
  const { version, notes } = takeSteps(document, steps);
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  if (!document.has('schema_version') && !hasFlowRoot(document) && notes.length === 0) {
    return { text: mark + addVersionLine(source.text, document, lineEnd), changed: true, notes };
  }
  if (version !== null && version >= supportedSchemaVersion) return { text, changed: false, notes };
  const only = version !== null && version > 0 && notes.length === 0 ? versionAt(document) : null;
  if (only !== null)
    return {
      text: mark + source.text.slice(0, only[0]) + supportedSchemaVersion + source.text.slice(only[1]),
      changed: true,
      notes,
    };
  if (version === null && isMap(document.contents)) setVersion(document, document.contents);
  const rewritten = document.toString({ lineWidth: 0 }).replace(/\r?\n/g, lineEnd);
  return { text: mark + rewritten, changed: true, notes };
}

const notAMap = { path: 'the file', message: 'must be a map of keys', hint: null, start: 0, end: 1 };

/**
 * Version 0, before the first release: `limits.token_budget.warn_threshold` stood beside the budgets, and
 * `project.repo` and `project.tasks_file` named what the tool finds by itself now.
 */
function toVersion1(document: Document): readonly string[] {
  const project = mapAt(document, ['project']);
  for (const key of ['repo', 'tasks_file']) project?.delete(key);
  const [limits, budget] = [mapAt(document, ['limits']), mapAt(document, ['limits', 'token_budget'])];
  const threshold = budget?.items.find((pair) => keyOf(pair) === 'warn_threshold');
  if (budget !== null && limits !== null && threshold !== undefined) {
    budget.delete('warn_threshold');
    if (!limits.has('warn_threshold')) limits.items.push(threshold);
  }
  removeIfEmpty(document, ['limits', 'token_budget']);
  removeIfEmpty(document, ['project']);
  return [];
}

/** The permissions of version 1 that name `blocked_paths` alone, which agents could not read either; null: none. */
function permissionsOfVersion1(document: Document): YAMLMap | null {
  const permissions = mapAt(document, ['permissions']);
  if (permissions === null || permissions.has('hidden_paths')) return null;
  return permissions.has('blocked_paths') ? permissions : null;
}

/** See `hidden_paths` in the schema for what null means. */
function keepBlockedHidden(document: Document): readonly string[] {
  const permissions = permissionsOfVersion1(document);
  if (permissions === null) return [];
  permissions.add(document.createPair('hidden_paths', null));
  return [
    'permissions.blocked_paths also hides files from agents, as in version 1; to separate the two: git flame config migrate',
  ];
}

/** Version 1 had one list for both: what is a secret by its name goes into the other one, with its comments. */
function splitBlockedPaths(document: Document): readonly string[] {
  const permissions = permissionsOfVersion1(document);
  if (permissions === null) return [];
  const at = permissions.items.findIndex((pair) => keyOf(pair) === 'blocked_paths');
  const pair = permissions.items[at];
  const list = pair?.value;
  const value = isAlias(list) ? list.resolve(document) : list;
  // Anything else is a mistake, which the schema names.
  if (pair === undefined || !isSeq(value)) return keepBlockedHidden(document);
  const isHidden = (item: unknown): boolean => isSecretsGlob(textOf(document, item));
  const [hidden, blocked] = [value.items.filter(isHidden), value.items.filter((item) => !isHidden(item))];
  const names = (items: readonly unknown[]): string => JSON.stringify(items.map((item) => textOf(document, item)));
  if (blocked.length === 0 && hidden.length > 0) {
    pair.key = Object.assign(new Scalar('hidden_paths'), commentsOf(pair.key));
  } else {
    // Others may name a list that has an anchor.
    const isShared = value.anchor !== undefined;
    const listOf = (items: unknown[]): YAMLSeq => {
      const made = new YAMLSeq(document.schema);
      made.items = isShared ? items.map((item) => new Scalar(textOf(document, item))) : items;
      if (value.flow !== undefined) made.flow = value.flow;
      return made;
    };
    permissions.items.splice(at + 1, 0, new Pair(new Scalar('hidden_paths'), listOf(hidden)));
    if (isShared) pair.value = listOf(blocked);
    else value.items = blocked;
  }
  return [
    `permissions.hidden_paths, which agents may not see: ${names(hidden)}; cells show these files empty to every program`,
    `permissions.blocked_paths, which they may read but not change: ${names(blocked)}`,
  ];
}

function commentsOf(key: unknown): Partial<Pick<Scalar, 'comment' | 'commentBefore' | 'spaceBefore'>> {
  if (!isScalar(key)) return {};
  const { comment, commentBefore, spaceBefore } = key;
  return {
    ...(comment == null ? {} : { comment }),
    ...(commentBefore == null ? {} : { commentBefore }),
    ...(spaceBefore === undefined ? {} : { spaceBefore }),
  };
}

function textOf(document: Document, item: unknown): string {
  const node = isAlias(item) ? item.resolve(document) : item;
  return isScalar(node) ? String(node.value) : '';
}

function mapAt(document: Document, path: readonly string[]): YAMLMap | null {
  const node = document.getIn(path, true);
  const found = isAlias(node) ? node.resolve(document) : node;
  return isMap(found) ? found : null;
}

function keyOf(pair: Pair): unknown {
  return isPair(pair) && isScalar(pair.key) ? pair.key.value : null;
}

function removeIfEmpty(document: Document, path: readonly string[]): void {
  if (mapAt(document, path)?.items.length === 0) document.deleteIn(path);
}

function setVersion(document: Document, root: YAMLMap): void {
  if (root.has('schema_version')) root.set('schema_version', supportedSchemaVersion);
  else root.items.unshift(document.createPair('schema_version', supportedSchemaVersion));
}

/** Where its number stands in the text, which is all that changes. */
function versionAt(document: Document): readonly [start: number, end: number] | null {
  const node = document.get('schema_version', true);
  return isScalar(node) && node.range != null ? [node.range[0], node.range[1]] : null;
}

function hasFlowRoot(document: Document): boolean {
  return isMap(document.contents) && document.contents.flow === true;
}

/** In front of the first key, below the comments that head the file. */
function addVersionLine(text: string, document: Document, lineEnd: string): string {
  const line = `schema_version: ${supportedSchemaVersion}${lineEnd}`;
  const start = isMap(document.contents) ? document.contents.range?.[0] : undefined;
  if (start !== undefined) return text.slice(0, start) + line + text.slice(start);
  return text + (text === '' || text.endsWith('\n') ? '' : lineEnd) + line;
}
