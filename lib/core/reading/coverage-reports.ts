import * as z from 'zod';

/** Lines of a file that a coverage report measures. */
export interface LineRuns {
  /** As the report has it. */
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
  /^(?:coverage-final\.json|(?:coverage|clover|cobertura|[\w.-]*\.cobertura|cobertura-coverage|jacoco\w*)\.xml|cover(?:age)?\.(?:out|txt)|[\w.-]+\.(?:info|lcov|coverprofile))$/;

/** Reads a report in the format of lcov, Istanbul (JSON), Cobertura, Clover, JaCoCo or Go; nothing of another text. */
export function readLineRuns(text: string): Iterable<LineRuns> {
  if (/^\s*\{/.test(text)) return readIstanbul(text);
  if (/^\s*</.test(text)) return readXml(text);
  return text.startsWith('mode: ') ? readGoProfile(text) : readLcov(text);
}

/** `SF:path`, then `DA:line,count` for each line of it: https://manpages.debian.org/geninfo. */
function* readLcov(text: string): Generator<LineRuns> {
  let path = '';
  for (const [, key, value = ''] of text.matchAll(/^(SF|DA):(.*)$/gm)) {
    if (key === 'SF') path = value.trim();
    else yield makeRuns(path, value.split(','));
  }
}

/** `path:line.column,line.column statements count` for each block of code. */
function* readGoProfile(text: string): Generator<LineRuns> {
  for (const [, path = '', from, to, count] of text.matchAll(/^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$/gm))
    yield { ...makeRuns(path, [from, count]), to: Number(to) };
}

const istanbulSchema = z.record(
  z.string(),
  z.object({
    statementMap: z.record(z.string(), z.object({ start: z.object({ line: z.number() }) })),
    s: z.record(z.string(), z.number()),
  }),
);

function* readIstanbul(text: string): Generator<LineRuns> {
  const read = istanbulSchema.safeParse(parseJson(text));
  for (const [path, { statementMap, s }] of Object.entries(read.data ?? {})) {
    for (const [id, { start }] of Object.entries(statementMap))
      yield { path, from: start.line, to: start.line, count: s[id] ?? 0 };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const tags = /<(package|class|file|sourcefile|line)((?:\s+[\w:.-]+="[^"]*")+)/g;

/**
 * Files are `class filename` below one of several `source` (Cobertura), `file path` or `file name` (Clover), or
 * `sourcefile name` in the folder of a `package` (JaCoCo); lines are `line` with its number and its count.
 */
function* readXml(text: string): Generator<LineRuns> {
  const sources = [...text.matchAll(/<source>([^<]+)<\/source>/g)].map(([, source = '']) => source.trim());
  let folder = '';
  let paths: readonly string[] = [];
  for (const [, tag, words = ''] of text.matchAll(tags)) {
    const at = Object.fromEntries([...words.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    if (tag === 'package') folder = at.name ?? '';
    else if (tag === 'sourcefile') paths = [`${folder}/${at.name ?? ''}`];
    else if (tag === 'file') paths = [at.path ?? at.name ?? ''];
    else if (tag === 'class') paths = placeBelow(sources, at.filename ?? '');
    else {
      const [line, count] = [at.number ?? at.num ?? at.nr, at.hits ?? at.count ?? at.ci];
      for (const path of paths) yield makeRuns(path, [line, count]);
    }
  }
}

function placeBelow(sources: readonly string[], name: string): readonly string[] {
  const isWhole = sources.length === 0 || /^(?:[\\/]|\w:)/.test(name);
  return isWhole ? [name] : sources.map((source) => `${source}/${name}`);
}

function makeRuns(path: string, [line, count]: readonly (string | undefined)[]): LineRuns {
  return { path, from: Number(line), to: Number(line), count: Number(count) };
}
