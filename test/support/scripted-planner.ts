import * as assert from 'uvu/assert';
import type { JsonRecord } from '../../lib/util/json.ts';
import type { FlameCommand } from './claude-project.ts';
import type { Turn } from './scripted-model.ts';

/** The role an agent was told that it has; '' where a request says none. */
export function roleAsked(body: JsonRecord): string {
  return /You are (?:a|the) (\w+) of git-flame/.exec(JSON.stringify(body))?.[1] ?? '';
}

/** Answers as an agent must: by a tool where its CLI has one for that, else in words. `told`: results so far. */
export function answers(body: JsonRecord, told: number, answer: JsonRecord): Turn {
  if (!JSON.stringify(body).includes('"StructuredOutput"')) return { text: `Here it is:\n${JSON.stringify(answer)}` };
  return told === 0 ? { calls: [{ name: 'StructuredOutput', input: answer }] } : { text: 'That is it.' };
}

/** A planner whose first answer is talk, however often its CLI asks; sent back, it gives the plan. */
export function plansAtLast(body: JsonRecord, told: number, tasks: readonly object[]): Turn {
  const isSentBack = JSON.stringify(body).includes('Your last plan could not be used');
  return isSentBack ? answers(body, told, { tasks }) : { text: 'I would start with the tests.' };
}

/** That the talk was sent back once, and what came then was taken. */
export function assertPlannedAtLast({ lines, stderr }: FlameCommand): void {
  const planners = lines.filter(({ event, role }) => event === 'agent-started' && role === 'planner');
  const refused = lines.filter(({ event }) => event === 'plan-invalid');
  assert.equal([planners.length, refused.length], [2, 1], stderr);
  assert.match(`${refused[0]?.problems}`, 'I would start with the tests.');
}
