import type { PlannedGroupCircle, PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan, PlannedTask } from '../../domain/state/plan-schema.ts';
import { formatCount, formatUsd } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import { hangText } from '../text/sections.ts';
import type { Style } from '../text/style.ts';
import { describeAttempts } from './render-attempts.ts';
import { renderBullet } from './render-verdict.ts';

/** A plan to judge: tasks by group, what each may change and waits for, the order they run in, the cost. */
export function renderPlan(question: PlanQuestion, style: Style): string {
  const { plan, waves, problems } = question;
  const groups = [...new Set(plan.tasks.map((task) => task.cohesion_group))];
  const { received = [], agentTexts = [] } = question;
  const objective = wrapText(
    `${received.length === 0 ? 'Plan' : 'Received from another clone'}: ${toPrintableText(question.objective)}`,
    style.width,
  );
  return [
    ...objective.map(style.bold),
    ...received.flatMap((line) => renderBullet(line, style, '  ')),
    '',
    ...groups.flatMap((group, index) => renderGroup(group, question, style, index === groups.length - 1)),
    '',
    ...renderAgentTexts(agentTexts, style.width).flatMap((line, index, { length }) =>
      index === length - 1 ? [line, ''] : [line],
    ),
    `${formatCount(plan.tasks.length, 'task')}, in this order:`,
    ...waves.flatMap((ids, index) => wrapText(`${index + 1}. ${ids.join(', ')}`, style.width, '  ')),
    ...listPlanRemarks(question).flatMap((line) => wrapText(line, style.width)),
    ...(problems.length === 0 ? [] : ['', style.red('The plan cannot be used as it is:')]),
    ...problems.flatMap((problem) => renderBullet(problem, style, '  ')),
  ].join('\n');
}

/** Notes on a plan beside its tasks, a paragraph each. */
export function listPlanRemarks({
  estimate,
  overlap,
  circles = [],
  dropped = [],
  unmatched = [],
}: PlanQuestion): readonly string[] {
  return [
    [renderEstimate(estimate), ...overlapWords(overlap)].join(' '),
    ...renderGroupCircles(circles),
    ...(dropped.length === 0 ? [] : [`Removed from the plan, and dropped: ${dropped.join(', ')}`]),
    ...unmatched.map(unmatchedWords),
  ];
}

function unmatchedWords({ task, locks, close }: NonNullable<PlanQuestion['unmatched']>[number]): string {
  const named = locks.map(toPrintableLine).join(', ');
  return close.length === 0
    ? `No file matches the locks of ${task} (${named}): it can only add files there.`
    : `No file matches ${named}, which ${task} locks: a lock is a path, in which only *, ?, {a,b} and ranges like [a-z] are patterns. If you mean ${close.map(toPrintableLine).join(', ')}, write that.`;
}

function renderGroup(
  group: string,
  { plan, waves, overlap }: PlanQuestion,
  style: Style,
  isLastGroup: boolean,
): readonly string[] {
  const members = plan.tasks.filter((task) => task.cohesion_group === group);
  const [branch, trunk] = isLastGroup ? ['└─ ', '   '] : ['├─ ', '│  '];
  return [
    ...hangText(`[${toPrintableLine(group)}]`, style.width, { first: branch, rest: trunk }).map((line) =>
      line.replace(/\[.*$/, style.cyan),
    ),
    ...members.flatMap((task, index) => {
      const isLast = index === members.length - 1;
      const place = { first: trunk + (isLast ? '└─ ' : '├─ '), rest: trunk + (isLast ? '   ' : '│  ') };
      const wave = waves.findIndex((ids) => ids.includes(task.id)) + 1;
      return renderEntry(task, wave, { style, place, overlap: describeOverlap(task, overlap) });
    }),
  ];
}

interface Place {
  /** Text before the first line, and before the others; equally wide. */
  readonly first: string;
  readonly rest: string;
}

/** A task with what decides when it runs; tasks of a dependency cycle are in no wave. */
function renderEntry(
  task: PlannedTask,
  wave: number,
  { style, place, overlap }: { readonly style: Style; readonly place: Place; readonly overlap: string | null },
): readonly string[] {
  const facts = [
    ...(wave === 0 ? [] : [`step ${wave}`]),
    `priority ${task.priority}`,
    ...(task.dependencies.length > 0 ? [`after ${task.dependencies.join(', ')}`] : []),
    ...(overlap === null ? [] : [overlap]),
    task.file_locks.length > 0 ? `locks ${task.file_locks.map(toPrintableLine).join(', ')}` : 'locks everything',
    ...(task.model === null ? [] : [`model ${toPrintableLine(task.model)}`]),
    ...(task.adapter === null ? [] : [`by ${task.adapter}`]),
    ...[describeAttempts(task) ?? []].flat(),
  ];
  const below = `${place.rest}  `;
  return [
    ...hangText(`${task.id}: ${toPrintableLine(task.title)}`, style.width, place),
    ...hangText(facts.join(' · '), style.width, { first: below, rest: below }).map(
      (line) => line.slice(0, below.length) + style.dim(line.slice(below.length)),
    ),
  ];
}

/** `stacked on task-001 (price.js)`; null: it shares nothing with an earlier one. */
function describeOverlap({ id }: PlannedTask, overlap: PlanQuestion['overlap']): string | null {
  const below = overlap?.tasks.find(({ task }) => task === id)?.below ?? [];
  if (below.length === 0) return null;
  const named = below.map(({ task, lock }) => `${task} (${toPrintableLine(lock)})`).join(', ');
  return overlap?.kind === 'build-on' ? `stacked on ${named}` : `overlaps with ${named}`;
}

/** Describes the plan's assumptions where tasks share files. */
function overlapWords(overlap: PlanQuestion['overlap']): readonly string[] {
  if (overlap === undefined) return [];
  return overlap.kind === 'build-on'
    ? ['Tasks that share files are stacked on each other (concurrency.overlap: build-on).']
    : [
        'Tasks that share files all start from the base (concurrency.overlap: separate): those that conflict are sent back, which the estimate leaves out.',
        ...excludingWords(overlap.tasks),
      ];
}

const mostNamed = 8;

/** Describes tasks that can't land together as planned, where they change the same lines. */
function excludingWords(tasks: NonNullable<PlanQuestion['overlap']>['tasks']): readonly string[] {
  const pairs = tasks.flatMap(({ task, below }) =>
    below.map((one) => `${one.task} and ${task} (${toPrintableLine(one.lock)})`),
  );
  const more = pairs.length > mostNamed ? [`${pairs.length - mostNamed} more`] : [];
  return pairs.length === 0
    ? []
    : [`May conflict when they land: ${[...pairs.slice(0, mostNamed), ...more].join(', ')}.`];
}

function renderEstimate(estimate: PlanQuestion['estimate']): string {
  if (estimate === null) return 'No cost estimate.';
  const { base_usd, with_retries_usd } = estimate;
  return `Estimated cost: ${formatUsd(base_usd)}, with every retry ${formatUsd(with_retries_usd)}.`;
}

/** Renders the request to the worker of each task of a plan, in the words it will read. */
export function renderWorkerRequests({ tasks }: Plan, style: Style): string {
  return tasks.map((task) => renderOne(task, style).join('\n')).join('\n\n');
}

function renderOne(task: PlannedTask, style: Style): readonly string[] {
  const lists = [
    ['Acceptance criteria', task.acceptance_criteria],
    ['Constraints', task.constraints],
  ] as const;
  return [
    ...wrapText(`${task.id}: ${toPrintableLine(task.title)}`, style.width).map(style.bold),
    ...wrapText(toPrintableText(task.description.trimEnd()), style.width, '  '),
    ...lists.flatMap(([title, texts]) =>
      texts.length === 0 ? [] : [`  ${title}`, ...texts.flatMap((text) => renderBullet(text, style, '    '))],
    ),
  ];
}

/** Each text below its name, every line of it behind a bar: nothing in it looks like a line of this program. */
export function renderAgentTexts(texts: NonNullable<PlanQuestion['agentTexts']>, width: number): readonly string[] {
  if (texts.length === 0) return [];
  return [
    'What would run, or what agents would read:',
    ...texts.flatMap(({ task, name, text }) => [
      `  ${toPrintableLine(task)}, ${name}:`,
      ...wrapText(toPrintableText(text), width, bar).map((line) => (line === '' ? bar.trimEnd() : line)),
    ]),
  ];
}

const bar = '  │ ';

/** Describes groups that can't be decided one by one, a sentence for each circle. */
export function renderGroupCircles(circles: readonly PlannedGroupCircle[]): readonly string[] {
  return circles.map(({ kind, groups }) => {
    const names = groups.map(toPrintableLine);
    return kind === 'together'
      ? `The groups ${names.join(', ')} depend on each other: they are one changeset, ${names.join('+')}.`
      : `Other groups come in between: ${names[0] ?? ''} is decided in parts, ${names.join(', ')}.`;
  });
}
