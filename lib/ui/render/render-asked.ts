import type { Plan, PlannedTask } from '../../domain/state/plan.ts';
import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';
import { bullet } from './render-verdict.ts';

/** Renders the request to the worker of each task of a plan, in the words it will read. */
export function renderAsked({ tasks }: Plan, style: Style): string {
  return tasks.map((task) => renderOne(task, style).join('\n')).join('\n\n');
}

function renderOne(task: PlannedTask, style: Style): readonly string[] {
  const lists = [
    ['Accepted when', task.acceptance_criteria],
    ['Constraints', task.constraints],
  ] as const;
  return [
    ...wrapText(`${task.id}: ${visibleLine(task.title)}`, style.width).map(style.bold),
    ...wrapText(visibleText(task.description.trimEnd()), style.width, '  '),
    ...lists.flatMap(([title, texts]) =>
      texts.length === 0 ? [] : [`  ${title}`, ...texts.flatMap((text) => bullet(text, style, '    '))],
    ),
  ];
}
