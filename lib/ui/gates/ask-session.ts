import type { LeftOverDecision, SessionDecision, SessionQuestion } from '../../domain/ports/gates.ts';
import { renderCycle } from '../render/render-cycle.ts';
import { leftOverOutlook, sessionOutlook } from '../render/render-outlook.ts';
import { askDecided } from './ask-decided.ts';
import { askText, type Choice, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { waitingGates } from './waits-for-person.ts';

type Key = 'c' | 't' | 'r' | 's' | 'u';

const stop: Choice<Key> = { key: 's', label: '(s)top' };
const retry: Choice<Key> = { key: 't', label: 're(t)ry' };
const replan: Choice<Key> = { key: 'r', label: '(r)e-plan' };
const undo: Choice<Key> = { key: 'u', label: '(u)ndo a decision' };

/** After a review: another cycle, another plan, or the end. */
export function askSession(context: GateContext, question: SessionQuestion): Promise<SessionDecision> {
  const more: readonly Choice<Key>[] = [{ key: 'c', label: '(c)ontinue' }, ...retries(question), replan];
  const choices = [
    ...(question.cyclesLeft > 0 ? more : []),
    stop,
    ...(question.undoable === undefined ? [] : [undo]),
  ];
  return ask(context, { ...question, lines: sessionOutlook(question), choices });
}

/** Nothing is open any more, but not all of it was done: once more, another plan, or the end. */
export async function askLeftOver(
  context: GateContext,
  question: SessionQuestion,
): Promise<LeftOverDecision> {
  const choices = [...retries(question), replan, stop];
  const lines = leftOverOutlook(question);
  const decision = await ask(context, { ...question, lines, choices });
  return decision.kind === 'continue' || decision.kind === 'undo' ? { kind: 'stop' } : decision;
}

interface Asked extends SessionQuestion {
  readonly lines: readonly string[];
  readonly choices: readonly Choice<Key>[];
}

async function ask(context: GateContext, { lines, choices, ...question }: Asked): Promise<SessionDecision> {
  const asking = context.question(waitingGates.session);
  context.say(renderCycle(question, context.style));
  for (const line of lines) context.say(line);
  for (;;)
    switch (await choose<Key>(asking, choices)) {
      case 'c':
        return { kind: 'continue' };
      case 't':
        return { kind: 'retry' };
      case 's':
        return { kind: 'stop' };
      case 'r':
        return { kind: 'replan', notes: await askText(asking, 'What should be different? ') };
      case 'u': {
        const meant = await askDecided(asking, question.undoable ?? []);
        if (meant !== null) return { kind: 'undo', changeset: meant.id };
      }
    }
}

function retries({ summary }: SessionQuestion): readonly Choice<Key>[] {
  return summary.failed > 0 ? [retry] : [];
}
