import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { StateProblem } from '../../domain/ports/store-port.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { Doubt } from '../../domain/state/doubt.ts';
import { listRefLocks } from '../../store/repair/repair-locks.ts';
import { describeDoubt, waysOn } from '../../ui/render/render-doubts.ts';
import { formatCount } from '../../util/format-amount.ts';
import type { Reading } from '../open/read-state.ts';

/** What is on refs/blueflame/*: whether it can be read, and how to repair what can't. */
export async function examineState({ git, store }: Reading): Promise<readonly Finding[]> {
  return [...(await examineRefs(store)), ...examineLocks(git.repository.commonDir)];
}

/** A finding where nothing could be recorded. */
export function examineWritable(commonDir: string): readonly Finding[] {
  const closed = ['', 'objects', 'refs']
    .map((name) => join(commonDir, name))
    .filter((path) => !isWritable(path));
  return closed.map((path) =>
    checkOf('state', 'writable').missing(
      `${path} can't be written, so nothing can be worked on or tried here.`,
      { hints: ['git flame status, show and log keep working.'] },
    ),
  );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

// Younger ones belong to a git at work.
const oldLockMs = 60_000;

function examineLocks(commonDir: string): readonly Finding[] {
  return listRefLocks(commonDir)
    .filter(({ ageMs }) => ageMs > oldLockMs)
    .map(({ path }) =>
      checkOf('state', 'lock').weaker(
        `${path} stops every change of what it locks, and is older than a minute.`,
        { hints: ['git flame doctor --repair'] },
      ),
    );
}

async function examineRefs(store: Reading['store']): Promise<readonly Finding[]> {
  const check = checkOf('state', 'refs');
  try {
    const { sessions, problems, doubts } = await store.snapshot();
    if (problems.length > 0) return problems.map(describeProblem);
    if (doubts.length > 0) return [describeDoubts(doubts)];
    return [check.proven(`The state of ${formatCount(sessions.length, 'session')} can be read.`)];
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { ref } = error.data;
    const repair = typeof ref === 'string' ? repairOfRef(ref) : [];
    const hints = [
      'git flame doctor --repair',
      ...repair,
      ...error.hints.filter((hint) => hint !== 'git flame doctor'),
    ];
    return [{ ...check.failed(error), hints }];
  }
}

/** Nothing is broken: it is another clone's word. */
function describeDoubts(doubts: readonly Doubt[]): Finding {
  const message = `Another clone reports ${formatCount(doubts.length, 'thing')} as ended that did not end here.`;
  const details = doubts.slice(0, 20).map(describeDoubt);
  return checkOf('state', 'ends').weaker(message, { details, hints: waysOn(doubts) });
}

/** One note is broken, the others can be read: nothing but what it is about has to wait. */
function describeProblem({ ref, object, message }: StateProblem): Finding {
  const broken = `A note on ${ref} can't be used: object ${object} ${message}.`;
  return checkOf('state', 'note').weaker(broken, {
    hints: [
      message.includes('newer git-flame')
        ? 'Work on it with that version: this one leaves it alone.'
        : 'git flame doctor --repair',
      `git cat-file -p ${object}`,
      `git log --find-object=${object} --format=%h ${ref}`,
      `To go back to before the oldest commit that shows: git update-ref ${ref} <commit>^`,
    ],
  });
}

function repairOfRef(ref: string): string[] {
  return [
    `Where a remote has it: git fetch origin '+${ref}:${ref}'`,
    `Without it, what it held is lost: git update-ref -d ${ref}`,
  ];
}
