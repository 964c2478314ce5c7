import type { UnverifiedCompletion } from '../../domain/state/task-schema.ts';
import type { Proposals } from '../../domain/view-models/status-view.ts';
import { formatCount } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

const mostShown = 20;

/** Renders unverified completions with what they count as here, a line each, and what a person can do about them. */
export function renderUnverifiedCompletions(doubts: readonly UnverifiedCompletion[], style: Style): readonly string[] {
  const [first] = doubts;
  if (first === undefined) return [];
  const lines = doubts.slice(0, mostShown).map(describeUnverifiedCompletion);
  const rest = doubts.length - lines.length;
  const all = [...lines, ...(rest > 0 ? [`and ${rest} more`] : []), ...listUnverifiedHints(doubts)];
  return ['Reported by another clone, not verified here:', ...all.flatMap((line) => wrapText(line, style.width, '  '))];
}

/** One as a sentence. */
export function describeUnverifiedCompletion({ session, about, said, counts, branch }: UnverifiedCompletion): string {
  const why = branch === null ? 'this clone did not decide that' : `${branch} here does not contain it`;
  const asWhat = counts === null ? '' : `; it counts as ${counts}`;
  return toPrintableLine(`${about === '' ? session : about} ${said}: ${why}${asWhat}`);
}

/** Ways to accept or restore unverified completions, as lines with their commands. */
export function listUnverifiedHints(doubts: readonly UnverifiedCompletion[]): readonly string[] {
  const [first] = doubts;
  if (first === undefined) return [];
  const branch = doubts.find((doubt) => doubt.branch !== null)?.branch ?? null;
  const isOne = doubts.length === 1;
  const name = !isOne ? 'all' : first.counts === 'not landed' || first.about === '' ? first.session : first.about;
  return [
    ...(branch === null ? [] : [`If it landed elsewhere, bring ${branch} up to date here: git pull`]),
    `To restore your own version: git flame sync --restore ${name}`,
    `To accept it as reported: git flame sync --accept ${name}`,
  ].map(toPrintableLine);
}

/** Renders what a sync restored or accepted, a line each. */
export function renderSettledCompletions({
  restored,
  accepted,
}: {
  readonly restored: readonly string[];
  readonly accepted: readonly string[];
}): readonly string[] {
  return [
    ...(restored.length === 0 ? [] : [`Restored to the version of this clone: ${restored.join(', ')}`]),
    ...(accepted.length === 0 ? [] : [`Accepted as another clone reports it: ${accepted.join(', ')}`]),
  ].map(toPrintableLine);
}

/** Counts proposals: `1 session, 3 tasks to run, 1 approval`; '' when there are none. */
function countProposals(all: readonly Proposals[]): string {
  const sum = (count: (one: Proposals) => number): number => all.reduce((total, one) => total + count(one), 0);
  const counts = [
    [sum(({ session }) => (session ? 1 : 0)), 'session'],
    [sum(({ tasks }) => tasks.length), 'task'],
    [sum(({ verdicts }) => verdicts.length), 'verdict'],
    [sum(({ approvals }) => approvals.length), 'approval'],
    [sum(({ raised_limit: raised }) => (raised === null ? 0 : 1)), 'raised limit'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => formatCount(count, noun) + (noun === 'task' ? ' to run' : ''))
    .join(', ');
}

/** Renders the line of `status` and `show` on another clone's decisions; none where no proposal waits. */
export function renderProposals(proposals: Proposals | undefined): readonly string[] {
  const counted = proposals === undefined ? '' : countProposals([proposals]);
  return counted === '' ? [] : ['', `Received, but not used until you accept it: ${counted}`];
}

/** The line of `sync` about what it took in that only counts once a person accepts it. */
export function renderReceivedProposals(all: readonly Proposals[], remote: string): readonly string[] {
  const counted = countProposals(all);
  return counted === '' ? [] : [`Received from ${remote}, but not used until you accept it: ${counted}`];
}

/**
 * The lines of `sync` about what counts from now on because a named signer signed it; keys are `session
 * person`.
 */
export function renderSignedDecisions(all: ReadonlyMap<string, Proposals>): readonly string[] {
  const people = [...new Set([...all.keys()].map(personIn))].sort();
  return people.map((person) => {
    const theirs = [...all].filter(([key]) => personIn(key) === person).map(([, listed]) => listed);
    return `Counts here, because ${toPrintableLine(person)} signed it: ${countProposals(theirs)}`;
  });
}

function personIn(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}
