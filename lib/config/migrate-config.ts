import { type Document, isMap, isPair, isScalar, type Pair, type YAMLMap } from 'yaml';
import { supportedSchemaVersion } from '../domain/config/schema-version.ts';
import { badConfig } from './bad-config.ts';
import { refuseProblems } from './render-problems.ts';
import { readYamlSource } from './yaml-source.ts';

/** What leads from version n to n + 1, by n. */
const steps: readonly ((document: Document) => void)[] = [toVersion1];

/**
 * Brings a document to the newest version where it stands; values keep their places in the text.
 * Answers the version it had, null if it names none (then it counts as 1).
 */
export function migrateDocument(document: Document): number | null {
  if (!isMap(document.contents)) return null;
  const found = document.get('schema_version');
  // What is no version at all is left to the schema to complain of.
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 0) return null;
  for (let version = found; version < supportedSchemaVersion; version++) steps[version]?.(document);
  if (found < supportedSchemaVersion) setVersion(document, document.contents);
  return found;
}

/**
 * Rewrites a configuration in the newest form, with its comments. A text that only lacks its version gets
 * that line and stays as it was otherwise. Throws a FlameError `bad-config` where the text isn't YAML.
 */
export function migrateConfigText(
  text: string,
  fileName = '.blueflame.yml',
): { readonly text: string; readonly changed: boolean } {
  const source = readYamlSource(text, fileName);
  refuseProblems(source, source.problems, badConfig);
  const { document } = source;
  if (!isMap(document.contents) && document.toJS() !== null) refuseProblems(source, [notAMap], badConfig);
  const version = migrateDocument(document);
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  if (!document.has('schema_version') && !hasFlowRoot(document)) {
    return { text: mark + addVersionLine(source.text, document, lineEnd), changed: true };
  }
  if (version !== null && version >= supportedSchemaVersion) return { text, changed: false };
  if (version === null && isMap(document.contents)) setVersion(document, document.contents);
  const rewritten = document.toString({ lineWidth: 0 }).replace(/\r?\n/g, lineEnd);
  return { text: mark + rewritten, changed: true };
}

const notAMap = { path: 'the file', message: 'must be a map of keys', hint: null, start: 0, end: 1 };

/**
 * Version 0, before the first release: `limits.token_budget.warn_threshold` stood beside the budgets, and
 * `project.repo` and `project.tasks_file` named what the tool finds by itself now.
 */
function toVersion1(document: Document): void {
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
}

function mapAt(document: Document, path: readonly string[]): YAMLMap | null {
  const node = document.getIn(path);
  return isMap(node) ? node : null;
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
