import { type Finding, finding } from '../../domain/finding.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { StateProblem } from '../../domain/store-port.ts';
import type { Reading } from './read-state.ts';

/** What is on refs/blueflame/*: whether it can be read, and how to repair what can't. */
export async function examineState({ store }: Reading): Promise<readonly Finding[]> {
  const base = { area: 'state', check: 'refs' } as const;
  try {
    const { sessions, problems } = await store.snapshot();
    if (problems.length > 0) return problems.map(describeProblem);
    const message = `The state of ${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'} can be read.`;
    return [finding({ ...base, result: 'proven', message })];
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { ref } = error.data;
    const repair = typeof ref === 'string' ? repairOfRef(ref) : [];
    const hints = [...repair, ...error.hints.filter((hint) => hint !== 'git flame doctor')];
    return [finding({ ...base, result: 'missing', message: error.message, details: error.lines, hints })];
  }
}

/** One note is broken, the others can be read: nothing but what it is about has to wait. */
function describeProblem({ ref, object, message }: StateProblem): Finding {
  return finding({
    area: 'state',
    check: 'note',
    result: 'weaker',
    message: `A note on ${ref} can't be used: object ${object} ${message}.`,
    hints: [
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
