import type { AskedChangeset, AskedCheck, GateAsks, GateText } from '../../../domain/questions/gate.ts';
import { type Fact, factsOf as questionFacts } from '../../../domain/questions/question-facts.ts';
import { formatCount, formatNumber } from '../../../util/format-amount.ts';
import { make } from '../../page/client/dom.ts';
import { getJson } from '../../page/client/transport.ts';
import { about } from './app.ts';
import { makeBlock, makeFold, makeOutput, makeText } from './words.ts';

/** What has to be known to answer it. */
export function factsOf(gate: string, asks: GateAsks): readonly HTMLElement[] {
  const shown: HTMLElement[] = [];
  let items: HTMLUListElement | null = null;
  for (const fact of questionFacts(asks)) {
    if (fact.kind !== 'item' && fact.kind !== 'option') {
      items = null;
      shown.push(...draw(gate, fact, asks));
      continue;
    }
    if (items === null) {
      items = make('ul', '');
      shown.push(items);
    }
    items.append(make('li', '', makeText('', fact.text)));
  }
  return shown;
}

function draw(gate: string, fact: Fact, { gate: kind }: GateAsks): readonly HTMLElement[] {
  switch (fact.kind) {
    case 'about':
      return [makeText('gate-about', fact.text)];
    case 'check':
      return checks([fact.check]);
    case 'change':
      return [drawChange(fact.changeset)];
    case 'task':
      return [drawTask(fact.task)];
    case 'shown':
      if (fact.what === 'plan')
        return [make('p', 'quiet', 'The tasks are below; each says what its worker will be told.')];
      return [(kind === 'changesets' ? reviewLink() : null) ?? foldedText('The diff', gate, 'diff')];
    case 'until':
      return [makeBlock('quiet', `It goes on by itself at ${new Date(fact.at).toLocaleTimeString()}.`)];
    // Each has an answer of its own, which says it.
    case 'attempt':
      return [];
    case 'text':
      return [makeBlock('', fact.text)];
    default:
      return [makeBlock(fact.kind, fact.text)];
  }
}

function drawChange({
  commit,
  diffstat,
  red,
}: Pick<AskedChangeset, 'commit' | 'diffstat' | 'red'>): HTMLElement {
  const { files, insertions, deletions } = diffstat;
  return make(
    'p',
    'row-head',
    make('span', 'quiet', `${formatCount(files, 'file')} `),
    make('span', 'plus', `+${formatNumber(insertions)}`),
    make('span', 'minus', `−${formatNumber(deletions)}`),
    make('code', 'quiet', commit.slice(0, 10)),
    ...(red ? [make('span', 'badge bad', 'checks fail')] : []),
  );
}

function drawTask({ id, title, verdict, notes }: AskedChangeset['tasks'][number]): HTMLElement {
  const badge = make('span', `badge ${verdict === 'pass' ? 'good' : 'bad'}`, verdict ?? 'no verdict');
  return make(
    'div',
    'gate-task',
    make('p', 'row-head', make('b', '', id), badge),
    makeText('row-title', title),
    ...(notes === '' ? [] : [makeBlock('quiet', notes)]),
  );
}

/** To the review page of the same server; null: it has none. */
function reviewLink(): HTMLElement | null {
  if (document.body.dataset.review !== 'true') return null;
  const link = make('a', 'review-link', 'Read the diff, with evidence and comments');
  link.href = `/review/${location.search}`;
  link.target = 'flame-review';
  return make('p', '', link);
}

/** A text of a question that is open. */
export async function loadText(gate: string, what: GateText): Promise<string> {
  return (await getJson<{ text: string }>(about(`/api/gate/${encodeURIComponent(gate)}/${what}`))).text;
}

/** Shown once it is opened. */
function foldedText(summary: string, gate: string, what: 'diff'): HTMLElement {
  const output = makeOutput('Loading …');
  const fold = makeFold(summary, output);
  let isAsked = false;
  fold.addEventListener('toggle', () => {
    if (isAsked || !fold.open) return;
    isAsked = true;
    loadText(gate, what).then(
      (text) => {
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
