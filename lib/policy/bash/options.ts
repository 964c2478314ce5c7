import type { Access } from '../judge-path.ts';

/**
 * The options a program may be given, written like a usage line: `-ab` flags · `-n:` takes a value · `-j[=]` may
 * have one · `-#` a number like -5 · `--name`, `--name=` and `--name[=]` the same for long names. After `:` or `=`:
 * `>` a file it writes · `<` a file it reads · `~` a wildcard over file names.
 */
export type OptionSpec = string;

export interface ScannedOptions {
  readonly operands: readonly string[];
  /** Files named by options. */
  readonly files: readonly { readonly path: string; readonly access: Access }[];
  /** Wildcards over file names, such as those of --include. */
  readonly patterns: readonly string[];
  /** Letters and long names given, with the values. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** The first option that isn't in the list, as written; null: all known. */
  readonly unknown: string | null;
}

type Kind = 'flag' | 'value' | 'optional' | 'read' | 'write' | 'pattern';

const compiled = new Map<OptionSpec, ReadonlyMap<string, Kind>>();

/** Reads arguments as GNU programs do: bundled letters, options between operands, `--` ends them. Names in full only. */
export function scanOptions(spec: OptionSpec, args: readonly string[]): ScannedOptions {
  const kinds = compileSpec(spec);
  const operands: string[] = [];
  const values: { readonly kind: Kind; readonly value: string }[] = [];
  const given = new Map<string, string[]>();
  let unknown: string | null = null;
  const rest = [...args].reverse();
  const take = (name: string, attached: string | null): void => {
    const kind = kinds.get(name);
    const needsValue = kind !== 'flag' && kind !== 'optional';
    const value = attached ?? (needsValue ? rest.pop() : undefined);
    const isWrong = kind === undefined || (kind === 'flag' && attached !== null);
    if (isWrong || (needsValue && value === undefined))
      unknown ??= name.length > 1 ? `--${name}` : `-${name}`;
    given.set(name, [...(given.get(name) ?? []), ...(value === undefined ? [] : [value])]);
    if (kind !== undefined && value !== undefined) values.push({ kind, value });
  };
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    if (arg === '--') {
      operands.push(...rest.splice(0).reverse());
    } else if (arg.startsWith('--')) {
      const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
      take(name.length > 1 ? name : `--${name}`, value ?? null);
    } else if (arg === '-' || !arg.startsWith('-')) {
      operands.push(arg);
    } else if (/^-\d+$/.test(arg) && kinds.has('#')) {
      given.set('#', [arg.slice(1)]);
    } else {
      takeLetters(arg, kinds, take);
    }
  }
  return { operands, given, unknown, files: values.flatMap(asFile), patterns: values.flatMap(asPattern) };
}

function takeLetters(
  arg: string,
  kinds: ReadonlyMap<string, Kind>,
  take: (name: string, attached: string | null) => void,
): void {
  for (let index = 1; index < arg.length; index += 1) {
    const letter = arg[index] ?? '';
    const tail = arg.slice(index + 1);
    const kind = kinds.get(letter);
    if (kind === undefined || kind === 'flag') {
      take(letter, null);
      continue;
    }
    take(letter, tail === '' ? null : tail);
    return;
  }
}

function asFile(one: {
  readonly kind: Kind;
  readonly value: string;
}): readonly { path: string; access: Access }[] {
  if (one.kind === 'read') return [{ path: one.value, access: 'read' }];
  return one.kind === 'write' ? [{ path: one.value, access: 'write' }] : [];
}

function asPattern(one: { readonly kind: Kind; readonly value: string }): readonly string[] {
  return one.kind === 'pattern' ? [one.value] : [];
}

const suffixes: Readonly<Record<string, Kind>> = {
  ':': 'value',
  '=': 'value',
  '[=]': 'optional',
  ':<': 'read',
  '=<': 'read',
  ':>': 'write',
  '=>': 'write',
  ':~': 'pattern',
  '=~': 'pattern',
};

function compileSpec(spec: OptionSpec): ReadonlyMap<string, Kind> {
  const known = compiled.get(spec);
  if (known !== undefined) return known;
  const kinds = new Map<string, Kind>();
  for (const word of spec.split(/\s+/)) {
    const [, dashes = '', name = '', suffix = ''] = /^(--?)([^:=<>~[]+)(.*)$/.exec(word) ?? [];
    const kind = suffix === '' ? 'flag' : suffixes[suffix];
    if (kind === undefined) throw new Error(`Internal error: bad option spec ${word}`);
    for (const one of dashes === '--' ? [name] : name) kinds.set(one, kind);
  }
  compiled.set(spec, kinds);
  return kinds;
}
