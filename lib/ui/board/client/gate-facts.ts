import type { AskedChangeset, AskedCheck, GateAsks } from '../../../domain/shown/gate.ts';
import { formatCount, formatNumber, formatTokens, formatUsd } from '../../../util/format-amount.ts';
import { unreachable } from '../../../util/unreachable.ts';
import { make } from '../../page/client/dom.ts';
import { getJson } from '../../page/client/transport.ts';
import { about } from './app.ts';
import { makeBlock, makeFold, makeOutput, makeText } from './words.ts';

/** What has to be known to answer it. */
export function factsOf(gate: string, asks: GateAsks): readonly HTMLElement[] {
  switch (asks.gate) {
    case 'plan':
      return [
        makeBlock('', asks.objective),
        ...warnings(asks.problems),
        ...asks.notes.map((note) => makeBlock('quiet', note)),
        make('p', 'quiet', 'The tasks are below; each says what its worker will be told.'),
      ];
    case 'validation':
      return [
        makeText('gate-about', asks.title),
        ...(asks.notes === '' ? [] : [makeBlock('', `${asks.by}: ${asks.notes}`)]),
        ...list(asks.issues),
        ...checks(asks.checks),
        foldedText('The diff', gate, 'diff'),
      ];
    case 'validator_failed':
      return [
        makeText('gate-about', asks.title),
        makeBlock('warning', asks.reason),
        ...checks(asks.checks),
        foldedText('The diff', gate, 'diff'),
      ];
    case 'changesets':
      return changesetFacts(gate, asks);
    case 'session':
      return asks.lines.map((line) => makeBlock('', line));
    case 'budget': {
      const format = asks.unit === 'usd' ? formatUsd : formatTokens;
      return [makeBlock('', `${format(asks.spent)} of ${format(asks.limit)}.`)];
    }
    case 'base':
      return [...warnings(asks.failing), makeBlock('', 'Agents would be paid for work that cannot pass.')];
    case 'question':
      return [
        makeText('gate-about', asks.title),
        ...asks.questions.flatMap(({ question, options }) => [
          makeBlock('', question),
          ...list(
            options.map(
              ({ label, description }, index) =>
                `${index + 1} ${label}${description === '' ? '' : `: ${description}`}`,
            ),
          ),
        ]),
        makeBlock('quiet', `It goes on by itself at ${new Date(asks.until).toLocaleTimeString()}.`),
      ];
    default:
      return unreachable(asks);
  }
}

function changesetFacts(gate: string, asks: AskedChangeset): readonly HTMLElement[] {
  const { files, insertions, deletions } = asks.diffstat;
  return [
    make(
      'p',
      'row-head',
      make('span', 'quiet', `${formatCount(files, 'file')} `),
      make('span', 'plus', `+${formatNumber(insertions)}`),
      make('span', 'minus', `−${formatNumber(deletions)}`),
      make('code', 'quiet', asks.commit.slice(0, 10)),
      ...(asks.red ? [make('span', 'badge bad', 'checks fail')] : []),
    ),
    ...asks.tasks.map(({ id, title, verdict, notes }) =>
      make(
        'div',
        'gate-task',
        make(
          'p',
          'row-head',
          make('b', '', id),
          make('span', `badge ${verdict === 'pass' ? 'good' : 'bad'}`, verdict ?? 'no verdict'),
        ),
        makeText('row-title', title),
        ...(notes === '' ? [] : [makeBlock('quiet', notes)]),
      ),
    ),
    ...(asks.answers === undefined
      ? []
      : [make('p', 'quiet', 'Answers these remarks:'), ...list(asks.answers)]),
    ...warnings(asks.warnings),
    ...asks.on_top.map((line) => makeBlock('quiet', line)),
    ...checks(asks.checks),
    reviewLink() ?? foldedText('The diff', gate, 'diff'),
  ];
}

/** To the review page of the same server; null: it has none. */
function reviewLink(): HTMLElement | null {
  if (document.body.dataset.review !== 'true') return null;
  const link = make('a', 'review-link', 'Read the diff, with evidence and comments');
  link.href = `/review/${location.search}`;
  link.target = 'flame-review';
  return make('p', '', link);
}

/** Shown once it is opened. */
function foldedText(summary: string, gate: string, what: 'diff'): HTMLElement {
  const output = makeOutput('Loading …');
  const fold = makeFold(summary, output);
  let isAsked = false;
  fold.addEventListener('toggle', () => {
    if (isAsked || !fold.open) return;
    isAsked = true;
    getJson<{ text: string }>(about(`/api/gate/${encodeURIComponent(gate)}/${what}`)).then(
      ({ text }) => {
        output.textContent = text;
      },
      (error: unknown) => {
        isAsked = false;
        output.textContent = error instanceof Error ? error.message : String(error);
      },
    );
  });
  return fold;
}

function warnings(lines: readonly string[]): readonly HTMLElement[] {
  return lines.map((line) => makeBlock('warning', line));
}

function list(items: readonly string[]): readonly HTMLElement[] {
  return items.length === 0
    ? []
    : [make('ul', '', ...items.map((item) => make('li', '', makeText('', item))))];
}

/** Checks with what they printed; shared with the verdicts of a task. */
export function checks(all: readonly AskedCheck[]): readonly HTMLElement[] {
  return all.map(({ command, result, is_good: isGood, output }) => {
    const fold = makeFold(
      `${isGood ? '✓' : '✗'} ${command}: ${result}`,
      makeOutput(output === '' ? '(it printed nothing)' : output),
    );
    fold.className = isGood ? 'check-good' : 'check-bad';
    return fold;
  });
}
