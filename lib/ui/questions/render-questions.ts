import { listCommandLineAnswers, renderAnswerUsage } from '../../domain/questions/offered-answers.ts';
import type { PendingQuestion } from '../../domain/questions/question-data.ts';
import { listQuestionFacts, type QuestionFact, renderQuestionTitle } from '../../domain/questions/question-facts.ts';
import { pickFailureLines } from '../../util/error-text.ts';
import { formatClock, formatCount, formatDuration } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { renderTable } from '../../util/table.ts';
import { renderMemberHead } from '../render/changeset-lines.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

const mostLines = 10;

/** Open questions: what has to be known of each, and the commands that answer it. */
export function renderQuestions(gates: readonly PendingQuestion[], style: Style, now: Date): string {
  return gates.map((gate) => renderQuestion(gate, style, now).join('\n')).join('\n\n');
}

function renderQuestion({ id, session, asked_at, asks }: PendingQuestion, style: Style, now: Date): readonly string[] {
  const since = formatDuration(Math.max(0, now.getTime() - Date.parse(asked_at)));
  const rows = listCommandLineAnswers(asks).map((answer) => [
    `git flame answer ${id} ${renderAnswerUsage(answer)}`,
    toPrintableLine(answer.means),
  ]);
  return [
    style.bold(toPrintableLine(renderQuestionTitle(asks))),
    style.dim([id, session ?? '', `asked ${since} ago`].filter(Boolean).join(' · ')),
    ...listQuestionFacts(asks)
      .flatMap((fact) => linesOf(id, fact))
      .flatMap((fact) =>
        toPrintableText(fact)
          .split('\n')
          .flatMap((line) => wrapText(line, style.width - 2, '  ')),
      )
      .map((line) => `  ${line}`),
    ...renderTable(rows, { width: style.width }),
  ];
}

/** A line or a paragraph each. */
function linesOf(id: string, fact: QuestionFact): readonly string[] {
  switch (fact.kind) {
    case 'items':
      return fact.texts.map((text) => `- ${text}`);
    case 'figures':
      return fact.figures.map(([name, value]) => `${name}: ${value}`);
    case 'troubled':
      return fact.tasks.map(({ id, status, why }) => `${id} ${status}: ${why}`);
    case 'effects':
      return fact.texts;
    case 'options':
      return fact.texts.map((text) => `  ${text}`);
    case 'check': {
      const { command, result, is_good: isGood, output } = fact.check;
      const printed = isGood ? [] : pickFailureLines(output, mostLines).filter((line) => line.trim() !== '');
      return [`${isGood ? 'good' : 'failed'}: ${command} (${result})`, ...printed.map((line) => `  ${line}`)];
    }
    case 'change': {
      const { commit, diffstat, red } = fact.changeset;
      const { files, insertions, deletions } = diffstat;
      const size = `${formatCount(files, 'file')} +${insertions} -${deletions}`;
      return [`${shortId(commit)}: ${size}${red ? ', checks fail' : ''}`];
    }
    case 'task': {
      const { id: task, title, verdict, notes } = fact.task;
      const head = renderMemberHead({ id: task, title, word: verdict ?? 'no verdict' });
      return [notes === '' ? head : `${head}: ${notes}`];
    }
    case 'shown':
      if (fact.what === 'plan') return [`Its tasks: git flame answer ${id} --print plan`];
      return [
        `The diff: ${fact.task === undefined ? `git flame answer ${id} --print diff` : `git flame show ${fact.task} --diff`}`,
      ];
    case 'until':
      return [`Continues without an answer at ${formatClock(fact.at)}.`];
    default:
      return [fact.text];
  }
}
