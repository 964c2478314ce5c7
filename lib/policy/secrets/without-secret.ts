import { findSecrets } from './secrets.ts';

/**
 * A text as it may be written down: one that looks as if a credential is in it, by itself or behind `before`, is left out,
 * and that is said.
 */
export function withoutSecret(text: string, before = ''): string {
  const isClean = findSecrets(`${text}\n${before}: ${text}`, null).length === 0;
  return isClean ? text : '(a credential, not kept)';
}
