const parts =
  'FILE DIR ROOT BASE OUT COUNT TOTAL VERSION NAME SRC DEST TARGET BRANCH COMMIT SHA HASH REV TMP RESULT RESULTS STATUS RC START END LINE PATTERN TEST TESTS PKG MODULE CHANGED LIST ITEM MSG';
const upper = new Set(parts.split(' ').flatMap((part) => [part, `${part}S`]));

/** Whether a variable means nothing to bash and to programs: a short lower-case name, one letter, or words like FILES. */
export function isFreeName(name: string): boolean {
  if (/^[a-z][a-z0-9_]{0,14}$/.test(name)) return !/proxy|^npm_|^histchars$|^auto_resume$/.test(name);
  return /^[A-Z]$/.test(name) || name.split('_').every((part) => upper.has(part));
}

/** The variables a part of a script changes, however deep. */
export function assignedIn(node: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  collect(node, found);
  return found;
}

function collect(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) for (const one of node) collect(one, found);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
  if (type === 'Assignment' && typeof name === 'string') found.add(name);
  if (type === 'For' && isText(name)) found.add(name.text);
  if (type === 'Command' && isText(name) && name.text === 'read')
    for (const word of (node as { readonly suffix?: readonly unknown[] }).suffix ?? [])
      if (isText(word)) found.add(word.text);
  for (const one of Object.values(node)) collect(one, found);
}

function isText(value: unknown): value is { readonly text: string } {
  return (
    typeof value === 'object' && value !== null && typeof (value as { text?: unknown }).text === 'string'
  );
}
