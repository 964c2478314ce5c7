import { readlinkSync } from 'node:fs';
import type { Io } from '../../domain/shown/command.ts';
import type { WaitingFacts } from '../../ui/questions/wrap-gates.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';

/** Renders what waits as a notification: one line, without control characters. */
export function waitingMessage({ gate, task, changeset }: WaitingFacts, title: string): string {
  const what = subjects[gate](task ?? changeset ?? '');
  return visibleLine(`${what} waits for you${title === '' ? '' : `: ${title}`}`).slice(0, 300);
}

const subjects: Readonly<Record<WaitingFacts['gate'], (name: string) => string>> = {
  plan: () => 'The plan',
  validation: (task) => `${task}, which failed its validation,`,
  validator_failed: (task) => `${task}, whose validator failed,`,
  changesets: (group) => `Changeset ${group}`,
  session: () => 'What comes after this cycle',
  budget: () => 'The spent budget',
  question: (task) => (task === '' ? 'A question of an agent' : `A question about ${task}`),
};

/** The device of the terminal that questions are asked at, for a bell; '' where there is none, or it can't be known. */
export function terminalOf({ stderr }: Pick<Io, 'stderr'>): string {
  if (stderr !== process.stderr || stderr.isTTY !== true) return '';
  try {
    return readlinkSync('/proc/self/fd/2');
  } catch {
    return '';
  }
}
