import type { SecretRule } from './secret-rule.ts';
import { secretRules } from './secret-rules.ts';

export interface SecretFinding {
  readonly id: string;
  /** 1-based. */
  readonly line: number;
}

/**
 * Credentials in the lines a change added: lines that the old text holds, too, don't count. The findings
 * name the kind and the line, never the credential. Programs hold the first line of a key without any key:
 * `isBinary` asks for more of it.
 */
export function findSecrets(text: string, oldText: string | null, isBinary = false): readonly SecretFinding[] {
  const known = new Set(oldText?.split('\n') ?? []);
  const small = text.toLowerCase();
  const rules = secretRules.filter(({ words }) => words.some((word) => small.includes(word)));
  if (rules.length === 0) return [];
  const lines = text.split('\n');
  return lines.flatMap((content, index) => {
    if (content.length < 16 || known.has(content)) return [];
    const found = rulesOn(content, rules)
      .filter(({ id }) => !isBinary || id !== 'private-key' || /^[\w+/=]{40}/.test(lines[index + 1] ?? ''))
      .map(({ id }) => ({ id, line: index + 1 }));
    // A rule for a mark in the secret itself is more specific than one for the name beside it.
    return found.length > 1 ? found.filter(({ id }) => id !== 'generic-api-key' && id !== 'kubernetes-jwt') : found;
  });
}

// Parts of one line that are looked at together: minified code has lines of megabytes.
const longestLine = 20_000;
const overlap = 1_000;

function rulesOn(content: string, rules: readonly SecretRule[]): readonly SecretRule[] {
  if (content.length <= longestLine) return rules.filter((rule) => holds(content, rule));
  const found = new Set<SecretRule>();
  for (let at = 0; at < content.length; at += longestLine - overlap)
    for (const rule of rulesOn(content.slice(at, at + longestLine), rules)) found.add(rule);
  return [...found];
}

function holds(content: string, { words, pattern, entropy = 0 }: SecretRule): boolean {
  const small = content.toLowerCase();
  if (!words.some((word) => small.includes(word))) return false;
  const every = new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`);
  for (const match of content.matchAll(every)) {
    const value = match[1] ?? match[0];
    if (entropyOf(value) >= entropy && !(match[1] !== undefined && isPlaceholder(value))) return true;
  }
  return false;
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** Whether a value is a placeholder that examples use for a credential. */
function isPlaceholder(value: string): boolean {
  return /^(?:x{6,}|\*{4,}|\.{4,})|example|placeholder|change_?me|your[-_]|dummy|redacted|^<|\$\{|process\.env|^(.)\1{5}/i.test(
    value,
  );
}

/**
 * A text as it may be written down: one that looks as if a credential is in it, by itself or behind `before`, is left out,
 * and that is said.
 */
export function redactIfSecret(text: string, before = ''): string {
  const isClean = findSecrets(`${text}\n${before}: ${text}`, null).length === 0;
  return isClean ? text : '(a credential, removed)';
}
