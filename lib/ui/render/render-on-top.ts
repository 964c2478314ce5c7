import type { OnTop } from '../../domain/ports/changeset-question.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Describes what a rejection means for work built on it: a sentence for all of it, then one for each kind. */
export function renderOnTop(onTop: readonly OnTop[]): readonly string[] {
  if (onTop.length === 0) return [];
  const of = (outcome: OnTop['outcome']): readonly OnTop[] => onTop.filter((one) => one.outcome === outcome);
  const [standing, conflicting, waiting, again] = [of('stands'), of('conflicts'), of('waits'), of('again')];
  const isOne = (list: readonly OnTop[]): boolean => list.length === 1;
  // All of one kind are named once.
  const whose = (list: readonly OnTop[]): string =>
    list.length === onTop.length && !isOne(list) ? 'They' : `${names(list)}:`;
  return [
    `Rejecting this takes it out from under ${names(onTop)}.`,
    ...(standing.length === 0
      ? []
      : [
          `${whose(standing)} ${isOne(standing) ? 'no new work; its change is' : 'need no new work; their changes are'} put on what remains, checked and shown again.`,
        ]),
    ...conflicting.map(
      (one) =>
        `${names([one])}: conflicts in ${one.paths.map(visibleLine).join(', ')} and goes back to its worker.`,
    ),
    ...(waiting.length === 0
      ? []
      : [
          `${whose(waiting)} ${isOne(waiting) ? 'depends' : 'depend'} on it, so ${isOne(waiting) ? 'its work is' : 'their works are'} kept until it is done again; the change is then put on the new work and checked again, and goes back to a worker only where it conflicts.`,
        ]),
    ...(again.length === 0
      ? []
      : [
          `${whose(again)} ${isOne(again) ? 'depends' : 'depend'} on it and ${isOne(again) ? 'is' : 'are'} done again.`,
        ]),
  ];
}

/** By group, each once; its tasks where it has several of them. */
function names(list: readonly OnTop[]): string {
  const groups = new Map<string, string[]>();
  for (const { group, task } of list) groups.set(group, [...(groups.get(group) ?? []), task]);
  return [...groups]
    .map(([group, tasks]) => visibleLine(tasks.length > 1 ? `${group} (${tasks.join(', ')})` : group))
    .join(', ');
}
