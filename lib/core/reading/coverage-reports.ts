import { posix } from 'node:path';
import { parseJson } from '../../util/json.ts';

/** A coverage report as it is written. */
export interface CoverageText {
  readonly runs: Iterable<LineRuns>;
  /** What its relative paths may be below; none: it doesn't say. */
  readonly roots: readonly string[];
  /** Whether its paths begin with the name of a module. */
  readonly isByModule: boolean;
}

/** Lines of a file that a coverage report measures. */
export interface LineRuns {
  /** As the report has it, with slashes and without dots. */
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** How often they ran. */
  readonly count: number;
}

/** Whether a file is a coverage report, by its name: those that test runners write unless they are asked for others. */
export function isCoverageReport(name: string): boolean {
  return reportName.test(name);
}

const reportName =
  /^(?:coverage-final\.json|(?:coverage|clover|cobertura|[\w.-]*\.cobertura|cobertura-coverage|jacoco\w*)\.xml|cover(?:age)?\.txt|[\w.-]+\.(?:info|lcov|coverprofile|out|cov))$/;

/** Reads a report in the format of lcov, Istanbul (JSON), Cobertura, Clover, JaCoCo or Go; nothing of another text. */
export function readCoverage(text: string): CoverageText {
  const isByModule = text.startsWith('mode: ');
  if (/^\s*</.test(text)) return { runs: readXml(text), roots: readSources(text), isByModule };
  const runs = /^\s*\{/.test(text) ? readIstanbul(text) : isByModule ? readGoProfile(text) : readLcov(text);
  return { runs, roots: [], isByModule };
}

/** `SF:path`, then `DA:line,count` for each line of it: https://manpages.debian.org/geninfo. */
function* readLcov(text: string): Generator<LineRuns> {
  let path = '';
  for (const [, key, value = ''] of text.matchAll(/^(SF|DA):(.*)$/gm)) {
    if (key === 'SF') path = readPath(value.trim());
    else yield makeRuns(path, value.split(','));
  }
}

/** `path:line.column,line.column statements count` for each block of code. */
function* readGoProfile(text: string): Generator<LineRuns> {
  for (const [, path = '', from, to, count] of text.matchAll(/^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$/gm))
    yield { ...makeRuns(readPath(path), [from, count]), to: Number(to) };
}

/** By its path, each file's statements and how often they ran, by their numbers. */
function* readIstanbul(text: string): Generator<LineRuns> {
  for (const [name, file] of listEntries(parseJson(text))) {
    const path = readPath(name);
    const parts = new Map(listEntries(file));
    const counts = new Map(listEntries(parts.get('s')));
    for (const [id, place] of listEntries(parts.get('statementMap'))) {
      const line = Number((place as { start?: { line?: unknown } } | null)?.start?.line);
      yield { path, from: line, to: line, count: Number(counts.get(id) ?? 0) };
    }
  }
}

function listEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Folders that Cobertura's names are below. */
function readSources(text: string): readonly string[] {
  const sources = [...text.slice(0, 100_000).matchAll(/<source>([^<]+)<\/source>/g)];
  return sources.slice(0, 20).map(([, source = '']) => readPath(decodeXml(source.trim())));
}

/**
 * Files are `class filename` (Cobertura), `file path` or `file name` (Clover), or `sourcefile name` in the folder of a
 * `package` (JaCoCo); lines are `line` with its number and its count.
 */
function* readXml(text: string): Generator<LineRuns> {
  let [folder, path] = ['', ''];
  for (const [, tag, words = ''] of text.matchAll(/<(package|class|file|sourcefile|line)(?=\s)([^<]*)/g)) {
    if (tag === 'line') yield makeRuns(path, [lineNumber.exec(words)?.[1], lineCount.exec(words)?.[1]]);
    else if (tag === 'package') folder = readAttribute(words, 'name') ?? '';
    else if (tag === 'sourcefile') path = readPath(`${folder}/${readAttribute(words, 'name') ?? ''}`);
    else if (tag === 'file') path = readPath(readAttribute(words, 'path') ?? readAttribute(words, 'name') ?? '');
    else path = readPath(readAttribute(words, 'filename') ?? path);
  }
}

const lineNumber = /\s(?:number|num|nr)="(\d+)"/;
const lineCount = /\s(?:hits|count|ci)="(\d+)"/;

function readAttribute(words: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(words) ?? [];
  return value === undefined ? value : decodeXml(value);
}

function decodeXml(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.includes('&') ? text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => signs[name] ?? '') : text;
}

function readPath(written: string): string {
  if (written.length > longestPath) return '';
  return posix.normalize(written.replaceAll('\\', '/').replace(/^file:\/\//, ''));
}

const longestPath = 1_000;

function makeRuns(path: string, [line, count]: readonly (string | undefined)[]): LineRuns {
  return { path, from: Number(line), to: Number(line), count: Number(count) };
}
