import type { LoadedConfig } from '../../config/load-config.ts';
import { locate } from '../../config/locate-value.ts';
import { readYamlSource, type ValuePath } from '../../config/yaml-source.ts';
import type { TrustItem } from '../../domain/state/repository-trust.ts';
import { isBelow, realPathOf } from '../../util/path-places.ts';
import { type ReadFile, sha256Of, shownFile, shownPath, shownTarget, shownText } from './file.ts';
import type { NamingPlace } from './named-files.ts';
import type { FolderPlaces } from './outside-folders.ts';

/** Folders that hold the files and programs named by settings. */
export interface ContentPlaces extends FolderPlaces {
  /** PATH. */
  readonly searchPath: string;
}

/** The same, with the line of the configuration that each setting is on. */
export type Place = ContentPlaces & { readonly lineOf: (keys: ValuePath) => string } & NamingPlace;

/** A template that replaces one of ours. */
export function templateItem(file: ReadFile, place: Place): TrustItem {
  return {
    kind: 'template',
    where: shownPath(file.path, place.root),
    source: shownPath(file.path, place.root),
    effect: 'runs as you, as code, when a prompt is made',
    words: shownText(file),
    sha256: file.sha256,
    realPath: shownTarget(file, place.root),
  };
}

/** A file that a command or a setting names. */
export function fileItem(
  file: ReadFile,
  { place, namedBy }: { readonly place: Place; readonly namedBy: string },
): TrustItem {
  const isAll = file.path === place.root;
  return {
    kind: 'file',
    where: shownFile(file, place.root),
    source: shownFile(file, place.root),
    effect: isAll ? `may be run by ${namedBy}, whose words don't say what it runs` : `is named by ${namedBy}`,
    words: shownText(file),
    sha256: file.sha256,
    realPath: shownTarget(file, place.root),
  };
}

/** A value of the configuration; a list is shown one entry a line, and compared as the list it is. */
export function setting(
  place: Place,
  {
    keys,
    value,
    effect,
  }: { readonly keys: ValuePath; readonly value: string | readonly string[]; readonly effect: string },
): TrustItem {
  const isHook = keys[0] === 'hooks';
  return {
    kind: isHook || keys[0] === 'adapters' ? 'command' : 'setting',
    where: keys.map(String).join('.'),
    source: place.lineOf(keys),
    effect,
    words: typeof value === 'string' ? value : value.map((entry) => JSON.stringify(entry)).join('\n'),
    sha256: sha256Of(JSON.stringify(value)),
    realPath: null,
  };
}

/** `.blueflame.yml:12`; a file that lies outside the repository behind a link is named as what it is. */
export function lineFinder({ file, text }: LoadedConfig, root: string): (keys: ValuePath) => string {
  if (file === null || text === null) return () => 'built in';
  const source = readYamlSource(text, file);
  const real = realPathOf(file);
  const isElsewhere = isBelow(file, root) && !isBelow(real, realPathOf(root));
  const name = isElsewhere ? `${shownPath(file, root)} (a link to ${real})` : shownPath(file, root);
  return (keys) => {
    const { start } = locate(source, keys, 'key');
    return `${name}:${source.text.slice(0, start).split('\n').length}`;
  };
}
