import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { Task } from '../../domain/state/task.ts';
import { askLine, type Question } from './choose.ts';

type Chosen = Extract<ChangesetDecision, { readonly kind: 'choose' }>;

/** Which other attempt at one of these tasks is to be its work; null: none after all. */
export async function askOther(asking: Question, tasks: readonly Task[]): Promise<Chosen | null> {
  const [only, another] = tasks;
  const form = another === undefined ? 'its number' : 'TASK NUMBER';
  for (;;) {
    const typed = (await askLine(asking, `Which attempt, as ${form} (Enter: back): `)).trim();
    if (typed === '') return null;
    const [number = '', name] = typed.split(/\s+/).toReversed();
    const task = name === undefined && another === undefined ? only : tasks.find(({ id }) => id === name);
    const attempt = /^\d{1,2}$/.test(number) ? Number(number) : 0;
    const one = task?.tries?.[attempt - 1];
    if (task !== undefined && one?.work !== undefined && one.chosen !== true)
      return { kind: 'choose', task: task.id, attempt };
    const there = tasks.flatMap(({ id, tries = [] }) =>
      tries.flatMap(({ work, chosen }, at) =>
        work === undefined || chosen === true
          ? []
          : [another === undefined ? `${at + 1}` : `${id} ${at + 1}`],
      ),
    );
    asking.say(`Type one of: ${there.join(', ')}.`);
  }
}
