import type { AskedChangeset, AskedCheck, GateAsks, OpenGate } from '../../domain/shown/gate.ts';
import { formatCount, formatTokens, formatUsd } from '../../util/format-amount.ts';
import { formatClock, formatDuration } from '../../util/format-time.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-id.ts';
import { renderTable } from '../../util/table.ts';
import { tellingLines } from '../../util/telling-lines.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { Style } from '../text/style.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';
import { gateTitle } from './gate-title.ts';
import { answerUsage, possibleAnswers } from './possible-answers.ts';

const mostLines = 10;

/** Open questions: what has to be known of each, and the commands that answer it. */
export function renderGates(gates: readonly OpenGate[], style: Style, now: Date): string {
  return gates.map((gate) => renderGate(gate, style, now).join('\n')).join('\n\n');
}

function renderGate({ id, session, asked_at, asks }: OpenGate, style: Style, now: Date): readonly string[] {
  const since = formatDuration(Math.max(0, now.getTime() - Date.parse(asked_at)));
  const rows = possibleAnswers(asks).map((answer) => [
    `git flame answer ${id} ${answerUsage(answer)}`,
    visibleLine(answer.means),
  ]);
  return [
    style.bold(visibleLine(gateTitle(asks))),
    style.dim([id, session ?? '', `asked ${since} ago`].filter(Boolean).join(' · ')),
    ...factsOf(id, asks)
      .flatMap((fact) =>
        visibleText(fact)
          .split('\n')
          .flatMap((line) => wrapText(line, style.width - 2, '  ')),
      )
      .map((line) => `  ${line}`),
    ...renderTable(rows, { width: style.width }),
  ];
}

/** What has to be known to answer, a line or a paragraph each. */
function factsOf(id: string, asks: GateAsks): readonly string[] {
  switch (asks.gate) {
    case 'plan':
      return [
        asks.objective,
        ...asks.problems,
        ...asks.notes,
        `Its tasks: git flame answer ${id} --print plan`,
      ];
    case 'validation':
      return [
        asks.title,
        ...(asks.notes === '' ? [] : [`${asks.by}: ${asks.notes}`]),
        ...asks.issues.map((issue) => `- ${issue}`),
        ...checksOf(asks.checks),
        ...asks.others.map(({ attempt, words }) => `attempt ${attempt}: ${words}`),
        `The diff: git flame show ${asks.task} --diff`,
      ];
    case 'validator_failed':
      return [asks.title, asks.reason, ...checksOf(asks.checks), diffOf(id)];
    case 'changesets':
      return changesetFacts(id, asks);
    case 'session':
      return asks.lines;
    case 'budget': {
      const format = asks.unit === 'usd' ? formatUsd : formatTokens;
      return [`${format(asks.spent)} of ${format(asks.limit)}.`];
    }
    case 'base':
      return [...asks.failing, 'Agents would be paid for work that cannot pass.'];
    case 'question':
      return [
        asks.title,
        ...asks.questions.flatMap(({ question, options, isSeveral }) => [
          `${question}${isSeveral ? ' (several may be chosen: 1,2)' : ''}`,
          ...options.map(
            ({ label, description }, index) =>
              `  ${index + 1} ${label}${description === '' ? '' : `: ${description}`}`,
          ),
        ]),
        `It goes on by itself at ${formatClock(asks.until)}.`,
      ];
    default:
      return unreachable(asks);
  }
}

function changesetFacts(id: string, asks: AskedChangeset): readonly string[] {
  const { files, insertions, deletions } = asks.diffstat;
  return [
    `${shortId(asks.commit)}: ${formatCount(files, 'file')} +${insertions} -${deletions}${asks.red ? ', checks fail' : ''}`,
    ...asks.tasks.flatMap(({ id: task, title, verdict, notes }) => [
      `${task} (${verdict ?? 'no verdict'}): ${title}`,
      ...(notes === '' ? [] : [notes]),
    ]),
    ...(asks.answers === undefined
      ? []
      : ['Answers these remarks:', ...asks.answers.map((line) => `- ${line}`)]),
    ...asks.warnings,
    ...asks.on_top,
    ...checksOf(asks.checks),
    ...asks.others.map(({ task, attempt, words }) => `${task}, attempt ${attempt}: ${words}`),
    diffOf(id),
  ];
}

function diffOf(id: string): string {
  return `The diff: git flame answer ${id} --print diff`;
}

/** Each in a line; of those that failed, what tells most of what they printed. */
function checksOf(checks: readonly AskedCheck[]): readonly string[] {
  return checks.flatMap(({ command, result, is_good: isGood, output }) => [
    `${isGood ? 'good' : 'failed'}: ${command} (${result})`,
    ...(isGood
      ? []
      : tellingLines(output, mostLines)
          .filter((line) => line.trim() !== '')
          .map((line) => `  ${line}`)),
  ]);
}
