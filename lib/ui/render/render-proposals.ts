import type { Proposals } from '../../domain/shown/status.ts';
import { formatCount } from '../../util/format-figures.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Counts proposals: `1 session, 3 tasks to run, 1 approval`; '' when there are none. */
function countProposals(all: readonly Proposals[]): string {
  const sum = (count: (one: Proposals) => number): number =>
    all.reduce((total, one) => total + count(one), 0);
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
  return counted === '' ? [] : ['', `Received, and not acted on before you say so: ${counted}`];
}

/** The line of `sync` about what it took in that only counts once a person accepts it. */
export function renderReceived(all: readonly Proposals[], remote: string): readonly string[] {
  const counted = countProposals(all);
  return counted === '' ? [] : [`Received from ${remote}, and not acted on before you say so: ${counted}`];
}

/**
 * The lines of `sync` about what counts from now on because a named signer signed it; keys are `session
 * person`.
 */
export function renderSigned(all: ReadonlyMap<string, Proposals>): readonly string[] {
  const people = [...new Set([...all.keys()].map(personIn))].sort();
  return people.map((person) => {
    const theirs = [...all].filter(([key]) => personIn(key) === person).map(([, listed]) => listed);
    return `Counts here, because ${visibleLine(person)} signed it: ${countProposals(theirs)}`;
  });
}

function personIn(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}
