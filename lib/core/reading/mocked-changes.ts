import type { ChangedText } from './changed-text.ts';
import { createImportResolver, type FileLinks, lastPart, stemOf } from './file-links.ts';

/** By a module, by a dotted name, or by an object that is imported. A spy that replaces nothing is none. */
const mocks =
  /\b(?:(?:vi|vitest|jest)\.(?:mock|doMock|unstable_mockModule)|mock\.module)\(\s*(?:import\()?["'`](?<module>[^"'`]{1,200})|\b(?:patch|monkeypatch\.setattr)\(\s*["'](?<dotted>[\w.]{1,200})|\b(?:stub|patch\.object|monkeypatch\.setattr|mock\.method|td\.replace|spyOn(?=.{0,200}\.mock(?:Re|Impl)))\(\s*(?<object>[\w$]+)(?:\.prototype)?\s*,/;

/**
 * Describes what a test replaces from now on though it is about it: a changed file of its own name, or the only one it
 * uses.
 */
export function createMockDescriber(
  texts: readonly ChangedText[],
  links: FileLinks,
): (text: ChangedText) => readonly string[] {
  const resolve = createImportResolver(texts);
  const sources = new Map(texts.flatMap((text) => (text.kind === 'source' ? [[text.path, text] as const] : [])));
  const declares = (path: string, name: string): boolean => sources.get(path)?.names.now.includes(name) ?? false;
  return (text) => {
    const used = [...(links.get(text.path) ?? [])].filter((path) => sources.has(path));
    const findMocked = ({
      module,
      dotted = '',
      object = '',
    }: Readonly<Record<string, string | undefined>>): readonly string[] => {
      if (module !== undefined) return resolve(text, module);
      if (object !== '') return used.filter((path) => lastPart(stemOf(path)) === object || declares(path, object));
      const parts = dotted.split('.');
      return parts.flatMap((part, at) =>
        resolve(text, parts.slice(0, at).join('.')).filter((path) => declares(path, part)),
      );
    };
    const subject = lastPart(stemOf(text.path)).replace(/^test[_-]|[._-]?(?:tests?|spec)$/i, '');
    const isAbout = (path: string): boolean =>
      sources.has(path) && (lastPart(stemOf(path)) === subject || used.every((other) => other === path));
    const before = new Set(text.removed.map((line) => mocks.exec(line)?.[0]));
    const found = text.added.flatMap((line) => {
      const match = mocks.exec(line);
      const mocked = match === null || before.has(match[0]) ? undefined : findMocked(match.groups ?? {}).find(isAbout);
      return mocked === undefined ? [] : [`replaces what it tests, ${mocked}: ${line.trim()}`];
    });
    return found.slice(0, 1);
  };
}
