import type { Task } from '../../domain/state/task.ts';

/**
 * What the next attempt reads about a failed validation: the person's words, then the validator's findings as
 * far as those don't repeat them.
 */
export function requeueNotes(said: string, { notes, issues }: Task['result']): string {
  const found = issues.filter((issue) => !said.includes(issue)).map((issue) => `- ${issue}`);
  const judged = notes === '' || said.includes(notes) ? [] : [`The validator said: ${notes}`];
  return [said, ...judged, ...found].join('\n');
}
