import type { ChangesetState } from '../page-state.ts';

const said: Partial<Record<ChangesetState['state'], string>> = {
  landed: 'has landed, approved',
  void: 'is to be built again',
};

/** What became of a changeset that doesn't wait, a sentence. */
export function decidedWords({ group, state, by, reason }: ChangesetState): string {
  const what = said[state] ?? `is ${state}`;
  const words = [`${group} ${what}`, by === '' ? '' : ` by ${by}`, reason === '' ? '' : `: ${reason}`].join(
    '',
  );
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
