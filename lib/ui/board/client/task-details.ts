import type {
  BoardAgentRun,
  BoardAttempt,
  BoardTask,
  BoardTaskDetails,
  BoardVerdict,
} from '../../../domain/shown/board.ts';
import { formatNumber } from '../../../util/format-amount.ts';
import { formatDuration } from '../../../util/format-time.ts';
import { make } from '../../page/client/dom.ts';
import { makeMoment } from './times.ts';
import { belowWords, lookOf, makeBlock, makeFold, makeOutput, makeText, spentWords } from './words.ts';

/** How a task stands, at a glance. */
export function summaryOf(id: string, task: BoardTask): readonly HTMLElement[] {
  const { symbol, word, kind } = lookOf(task);
  const facts: readonly (readonly [string, string])[] = [
    ['Group', task.group],
    ['Priority', `${task.priority}`],
    ['Needs', task.needs.join(', ')],
    ...(task.overlap === null
      ? []
      : [[task.overlap.kind === 'build-on' ? 'Builds on' : 'Apart from', belowWords(task.overlap)] as const]),
    ['By', task.by ?? ''],
    ['Attempts', task.attempts === 0 ? '' : `${task.attempts}`],
    ['Spent', spentWords(task)],
  ];
  return [
    make('p', 'row-head', make('code', '', id), make('span', `badge ${kind}`, `${symbol} ${word}`)),
    ...task.because.map((why) => makeBlock('warning', why)),
    make(
      'dl',
      'facts',
      ...facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => make('div', '', make('dt', '', name), make('dd', '', makeText('', value)))),
    ),
  ];
}

/** All the rest, part by part; what there is nothing of is left out. */
export function detailsOf(task: BoardTask, details: BoardTaskDetails): readonly HTMLElement[] {
  return [
    part('What it is to do', [
      makeBlock('', details.description),
      ...listOf('Acceptance', details.acceptance),
      ...listOf('Constraints', details.constraints),
      ...listOf('May write', task.locks),
    ]),
    part('What its worker is told', promptOf(details)),
    part('Verdicts', details.verdicts.map(makeVerdict)),
    part('Attempts', [...details.attempts].reverse().map(makeAttempt)),
    part('Agents', details.agents.map(makeAgent)),
    part(
      'Notes',
      details.notes.map(({ from, text }) =>
        make('div', 'item', make('p', 'quiet', from), makeBlock('', text)),
      ),
    ),
    part('Files', filesOf(details)),
    part(
      'In a terminal',
      details.next.map((command) => make('p', '', make('code', '', command))),
    ),
  ].filter((one) => one !== null);
}

function part(title: string, content: readonly Node[]): HTMLElement | null {
  return content.length === 0 ? null : make('section', 'part', make('h3', '', title), ...content);
}

function listOf(title: string, items: readonly string[]): readonly HTMLElement[] {
  if (items.length === 0) return [];
  return [make('h4', '', title), make('ul', '', ...items.map((item) => make('li', '', makeText('', item))))];
}

function promptOf({
  prompt,
  prompt_missing: missing,
  adapter,
  model,
}: BoardTaskDetails): readonly HTMLElement[] {
  const choice = [adapter, model].filter((one) => one !== null).join(', ');
  const chosen = choice === '' ? [] : [make('p', 'quiet', `By ${choice}, as the plan says.`)];
  if (prompt === null) return [...chosen, make('p', 'quiet', missing)];
  const system =
    prompt.system === '' ? [] : [makeFold('Who it is and what holds for it', makeOutput(prompt.system))];
  return [...chosen, ...system, makeFold('Its task, word for word', makeOutput(prompt.prompt))];
}

function makeVerdict(verdict: BoardVerdict): HTMLElement {
  const { status, by, at, notes, issues, override, checks } = verdict;
  return make(
    'div',
    'item',
    make(
      'p',
      'row-head',
      make(
        'span',
        `badge ${status === 'pass' ? 'good' : 'bad'}`,
        status === 'pass' ? 'passed' : 'did not pass',
      ),
      make('span', 'quiet', by),
      make('span', 'row-end quiet', makeMoment(at)),
    ),
    ...(override === null ? [] : [makeBlock('', `Passed all the same: ${override}`)]),
    ...(notes === '' ? [] : [makeBlock('', notes)]),
    ...listOf('Issues', issues),
    ...checks.map(({ command, result, is_good: isGood, output }) => {
      const fold = makeFold(
        `${isGood ? '✓' : '✗'} ${command}: ${result}`,
        makeOutput(output === '' ? '(it printed nothing)' : output),
      );
      fold.className = isGood ? 'check-good' : 'check-bad';
      return fold;
    }),
  );
}

function makeAttempt({ number, agent, at, result, notes, rejection }: BoardAttempt): HTMLElement {
  return make(
    'div',
    'item',
    make(
      'p',
      'row-head',
      make('b', '', number === 0 ? 'Earlier' : `Attempt ${number}`),
      make('span', 'badge', result.replaceAll('_', ' ')),
      make('span', 'quiet', agent ?? ''),
      make('span', 'row-end quiet', makeMoment(at)),
    ),
    ...(notes === '' ? [] : [makeBlock('', notes)]),
    ...(rejection === null ? [] : [makeBlock('', `Rejected: ${rejection}`)]),
  );
}

function makeAgent({ id, role, outcome, took_ms: took, blocked, ...spent }: BoardAgentRun): HTMLElement {
  const words = [role ?? '', outcome, took === null ? '' : formatDuration(took), spentWords(spent)];
  return make(
    'div',
    'item',
    make('p', 'row-head', make('code', '', id), make('span', 'quiet', words.filter(Boolean).join(' · '))),
    ...(blocked.length === 0
      ? []
      : [
          make(
            'ul',
            'blocked-calls',
            ...blocked.map((call) => make('li', '', makeText('', `blocked: ${call}`))),
          ),
        ]),
  );
}

function filesOf({ files }: BoardTaskDetails): readonly HTMLElement[] {
  if (files.length === 0) return [];
  const rows = files.map(({ path, moved_from: from, insertions, deletions }) =>
    make(
      'li',
      '',
      ...(from === undefined ? [] : [make('code', '', from), ' → ']),
      make('code', '', path),
      ' ',
      make('span', 'plus', `+${formatNumber(insertions)}`),
      ' ',
      make('span', 'minus', `−${formatNumber(deletions)}`),
    ),
  );
  return [make('ul', 'files', ...rows)];
}
