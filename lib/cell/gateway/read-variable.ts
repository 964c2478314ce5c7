import { FlameError } from '../../domain/flame-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a variable, '' where it isn't set: without the blanks and line ends around it that a copy or a file with other
 * line ends brings along, and without quotes that no shell removed.
 */
export function readVariable(env: Environment, name: string): string {
  const text = (env[name] ?? '').trim();
  return /^(["']).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1).trim() : text;
}

/** A secret as it can be sent in a header. Throws FlameError `bad-credential`. */
export function readSecret(env: Environment, name: string): string {
  const problem = badSecretError(env, name);
  if (problem !== null) throw problem;
  return readVariable(env, name);
}

/** Why what a variable holds can't be a credential; null: it can, or it isn't set. Nothing of it is shown. */
export function badSecretError(env: Environment, name: string): FlameError | null {
  const value = readVariable(env, name);
  const why = explainInvalidCredential(value);
  if (why === null) return null;
  return new FlameError({
    kind: 'environment',
    code: 'bad-credential',
    message: `${name} ${why}, so it can't be sent as a credential.`,
    hints: [`read -rs ${name} && export ${name}`, `unset ${name}`],
  });
}

/** Names what a header with a credential can't hold in a text, as the end of a sentence; null: nothing. */
export function explainInvalidCredential(value: string): string | null {
  if (/^bearer\s/i.test(value)) return 'begins with the word Bearer, which is added automatically';
  const at = value.search(/[^\x21-\x7e]/);
  if (at === -1) return null;
  const code = value.codePointAt(at) ?? 0;
  const kind = /\s/.test(value[at] ?? '')
    ? 'a space or line break'
    : code < 0x20 || code === 0x7f
      ? 'a control character'
      : 'a character outside ASCII';
  return `holds ${kind} (U+${code.toString(16).toUpperCase().padStart(4, '0')}, position ${at + 1} of ${value.length})`;
}
