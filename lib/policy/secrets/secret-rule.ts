export interface SecretRule {
  /** That of the gitleaks rule for the same kind, where it has one. */
  readonly id: string;
  /** Lower case; a text without any of them holds no such credential. */
  readonly words: readonly string[];
  /** Of a credential alone, or of an assignment whose first group is its value. */
  readonly pattern: RegExp;
  /** Bits per character the first group, or the match, must have at least: placeholders repeat themselves. */
  readonly entropy?: number;
}

/** A kind whose issuer begins each token with the same letters. */
export function tokenRule(id: string, words: string, pattern: RegExp, entropy = 1.5): SecretRule {
  return { id, words: words.split(' '), pattern, entropy };
}

/** A kind without a mark of its own: a value of its shape, given to a name that says what it is. */
export function namedRule(id: string, names: string, value: string, entropy = 2.8): SecretRule {
  const words = names.split(' ');
  const key = `(?:${words.join('|')})[\\w .-]{0,30}`;
  return {
    id,
    words: words.map((word) => word.replace(/[^a-z0-9].*$/, '')),
    pattern: new RegExp(`${key}["'\`]?\\s{0,3}(?::=|=>|[=:,(])\\s{0,3}["'\`]?(${value})(?![\\w/+=-])`, 'i'),
    entropy,
  };
}
