import type { PlanQuestion } from '../domain/gates.ts';
import type { PlannedTask } from '../domain/plan.ts';
import { formatCount, formatUsd } from '../util/format-amount.ts';
import { wrapText } from '../util/format-width.ts';
import { bullet } from './render-verdict.ts';
import type { Style } from './style.ts';
import { visibleLine, visibleText } from './visible-text.ts';

/** A plan to judge: tasks by group, what each may change and waits for, the order they run in, the cost. */
export function renderPlan(question: PlanQuestion, style: Style): string {
  const { plan, waves, estimate, problems } = question;
  const groups = [...new Set(plan.tasks.map((task) => task.cohesion_group))];
  const objective = wrapText(`Plan: ${visibleText(question.objective)}`, style.width);
  return [
    ...objective.map(style.bold),
    ...groups.flatMap((group) => [
      '',
      style.cyan(`[${visibleLine(group)}]`),
      ...plan.tasks
        .filter((task) => task.cohesion_group === group)
        .flatMap((task) => renderEntry(task, style)),
    ]),
    '',
    `${formatCount(plan.tasks.length, 'task')}, in this order:`,
    ...waves.flatMap((ids, index) => wrapText(`${index + 1}. ${ids.join(', ')}`, style.width, '  ')),
    ...wrapText(renderEstimate(estimate), style.width),
    ...(problems.length === 0 ? [] : ['', style.red('The plan cannot be used as it is:')]),
    ...problems.flatMap((problem) => bullet(problem, style, '  ')),
  ].join('\n');
}

function renderEntry(task: PlannedTask, style: Style): readonly string[] {
  const facts = [
    `priority ${task.priority}`,
    ...(task.dependencies.length > 0 ? [`after ${task.dependencies.join(', ')}`] : []),
    task.file_locks.length > 0
      ? `changes ${task.file_locks.map(visibleLine).join(', ')}`
      : 'changes anything',
    ...(task.model === null ? [] : [`model ${visibleLine(task.model)}`]),
    ...(task.adapter === null ? [] : [`by ${task.adapter}`]),
  ];
  return [
    ...wrapText(`${task.id}: ${visibleLine(task.title)}`, style.width, '  '),
    ...wrapText(facts.join(' · '), style.width, '    ').map(style.dim),
  ];
}

function renderEstimate(estimate: PlanQuestion['estimate']): string {
  if (estimate === null) return 'No estimate of the cost.';
  const { base_usd, with_retries_usd } = estimate;
  return `Estimated cost: ${formatUsd(base_usd)}, with every retry ${formatUsd(with_retries_usd)}.`;
}
