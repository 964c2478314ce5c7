import { type FileReason, fileReasonLimits } from '../../domain/state/file-reason.ts';
import type { TreeChange } from '../../domain/state/patch.ts';
import { toOneLine } from './bound-text.ts';

const line = /^\s*(?:[-*]\s+)?WHY:?\s+(`[^`]+`|\S[^\n]*?):\s+(\S[^\n]*)$/;

/** Takes the lines `WHY path: reason` out of a worker's words. */
export function takeReasonLines(text: string): { readonly reasons: readonly FileReason[]; readonly rest: string } {
  // A worker may print as much as it likes.
  if (!text.includes('WHY')) return { reasons: [], rest: text };
  const reasons: FileReason[] = [];
  const rest = text.split('\n').filter((one) => {
    const [, path, said] = line.exec(one) ?? [];
    if (path === undefined || said === undefined) return true;
    reasons.push({ path: path.replaceAll('`', ''), text: said });
    return false;
  });
  return { reasons, rest: rest.join('\n') };
}

/** As such lines. */
export function renderReasonLines(reasons: readonly FileReason[]): string {
  return reasons.map(({ path, text }) => `WHY ${path}: ${text}`).join('\n');
}

/**
 * Reasons as they are kept, at most so many: one for each path, a printable line of bounded length each; the last one
 * counts.
 */
export function boundReasons(
  reasons: Iterable<FileReason>,
  most: number = fileReasonLimits.ofTask,
): readonly FileReason[] {
  const found = new Map<string, string>();
  for (const { path, text } of reasons) {
    const name = path.trim().replace(/^\.\//, '');
    const said = toOneLine(text, fileReasonLimits.text);
    const isPath = name !== '' && name === toOneLine(name, fileReasonLimits.path);
    if (isPath && said !== '' && (found.has(name) || found.size < most)) found.set(name, said);
  }
  return [...found].map(([path, text]) => ({ path, text }));
}

/** The reasons that are about files its work changed, as many as are kept: a worker may name any number of others. */
export function selectReasonsOfChanges(
  reasons: readonly FileReason[],
  changes: readonly Pick<TreeChange, 'path'>[],
): readonly FileReason[] {
  const changed = new Set(changes.map(({ path }) => path));
  return reasons.filter(({ path }) => changed.has(path)).slice(0, fileReasonLimits.ofTask);
}

/** Reasons of work that continues earlier work: what it says nothing of is as it was said then. */
export function addEarlierReasons(
  now: readonly FileReason[],
  earlier: readonly FileReason[] = [],
): readonly FileReason[] {
  return boundReasons([...earlier.filter(({ path }) => now.every((one) => one.path !== path)), ...now]);
}
