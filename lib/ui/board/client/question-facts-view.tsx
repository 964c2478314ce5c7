import { useSignal } from '@preact/signals';
import type {
  ChangesetQuestionData,
  CheckDescription,
  QuestionData,
  QuestionTextKind,
} from '../../../domain/questions/question-data.ts';
import { listQuestionFacts, type QuestionFact } from '../../../domain/questions/question-facts.ts';
import { getJson, useLoaded } from '../../page/client/server-requests.ts';
import { Diffstat } from './changesets-log-sessions.tsx';
import { addSessionToPath } from './received-board-state.ts';
import { FoldedSection, ForeignText, ForeignTextBlock, ForeignTextList } from './text-components.tsx';

/** Facts needed to answer a question. */
export function QuestionFactsView({ gate, asks }: { readonly gate: string; readonly asks: QuestionData }) {
  return listQuestionFacts(asks).map((fact) => <GateFact gate={gate} fact={fact} kind={asks.gate} />);
}

interface GateFactProps {
  readonly gate: string;
  readonly fact: QuestionFact;
  readonly kind: QuestionData['gate'];
}

function GateFact({ gate, fact, kind }: GateFactProps) {
  switch (fact.kind) {
    case 'about':
      return <ForeignText class="gate-about">{fact.text}</ForeignText>;
    case 'check':
      return <FoldedCheckResult {...fact.check} />;
    case 'change':
      return <Change {...fact.changeset} />;
    case 'task':
      return <GateTask {...fact.task} />;
    case 'shown':
      if (fact.what === 'plan')
        return <p class="quiet">The tasks are listed below, each with the prompt for its worker.</p>;
      return kind === 'changesets' && hasReview ? <ReviewLink /> : <Diff gate={gate} />;
    case 'until':
      return (
        <ForeignTextBlock class="quiet">{`Continues without an answer at ${new Date(fact.at).toLocaleTimeString()}.`}</ForeignTextBlock>
      );
    // Each has an answer of its own, which says it.
    case 'attempt':
      return null;
    case 'items':
    case 'options':
      return <ForeignTextList of={fact.texts} />;
    case 'text':
      return <ForeignTextBlock>{fact.text}</ForeignTextBlock>;
    default:
      return <ForeignTextBlock class={fact.kind}>{fact.text}</ForeignTextBlock>;
  }
}

function Change({ commit, diffstat, red }: Pick<ChangesetQuestionData, 'commit' | 'diffstat' | 'red'>) {
  return (
    <p class="row-head">
      <Diffstat {...diffstat} />
      <code class="quiet">{commit.slice(0, 10)}</code>
      {red && <span class="badge bad">checks fail</span>}
    </p>
  );
}

function GateTask({ id, title, verdict, notes }: ChangesetQuestionData['tasks'][number]) {
  return (
    <div class="gate-task">
      <p class="row-head">
        <b>{id}</b>
        <span class={`badge ${verdict === 'pass' ? 'good' : 'bad'}`}>{verdict ?? 'no verdict'}</span>
      </p>
      <ForeignText class="row-title">{title}</ForeignText>
      {notes !== '' && <ForeignTextBlock class="quiet">{notes}</ForeignTextBlock>}
    </div>
  );
}

/** Whether the review page is served below the board. */
const hasReview = document.body.dataset.review === 'true';

function ReviewLink() {
  return (
    <p>
      <a class="review-link" href={`/review/${location.search}`} target="flame-review">
        Review the diff and its evidence, and comment
      </a>
    </p>
  );
}

/** Loaded when it is opened. */
function Diff({ gate }: { readonly gate: string }) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>Diff</summary>
      {isOpen.value && <DiffText gate={gate} />}
    </details>
  );
}

function DiffText({ gate }: { readonly gate: string }) {
  const text = useLoaded(() => loadQuestionText(gate, 'diff'));
  return <pre tabIndex={0}>{text instanceof Error ? text.message : (text ?? 'Loading …')}</pre>;
}

/** A text of a question that is open. */
export async function loadQuestionText(gate: string, what: QuestionTextKind): Promise<string> {
  return (await getJson<{ text: string }>(addSessionToPath(`/api/gate/${encodeURIComponent(gate)}/${what}`))).text;
}

/** A check with what it printed. */
export function FoldedCheckResult({ command, result, is_good: isGood, output }: CheckDescription) {
  return (
    <FoldedSection class={isGood ? 'check-good' : 'check-bad'} summary={`${isGood ? '✓' : '✗'} ${command}: ${result}`}>
      <pre tabIndex={0}>{output === '' ? '(no output)' : output}</pre>
    </FoldedSection>
  );
}
