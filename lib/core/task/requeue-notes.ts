import type { Task } from '../../domain/state/task.ts';

/**
 * Notes for the next attempt about a failed validation: the person's text, then the validator's findings as far as
 * those don't repeat it.
 */
export function requeueNotes(said: string, { notes, issues }: Task['result']): string {
  const found = issues.filter((issue) => !said.includes(issue)).map((issue) => `- ${issue}`);
  const judged = notes === '' || said.includes(notes) ? [] : [`The validator said: ${notes}`];
  return [said, ...judged, ...found].join('\n');
}
