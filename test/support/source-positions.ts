import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';

/**
 * A text in which places of built files are those of their sources. Node does the same by itself with
 * `--enable-source-maps`, and then reads the maps of all files at every start: a tenth of what tests cost.
 */
export function withSourcePositions(text: string, built: string): string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (file: string): SourceMap | null => {
    const known = maps.get(file);
    if (known !== undefined) return known;
    const path = `${file}.map`;
    const map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null;
    maps.set(file, map);
    return map;
  };
  return text.replace(/(?:file:\/\/)?(\/[^\s:()]+\.js):(\d+):(\d+)/g, (all, file: string, line, column) => {
    if (!file.startsWith(built)) return all;
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !('originalSource' in found)) return all;
    const source = relative(process.cwd(), resolve(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}
