import { useSignal } from '@preact/signals';
import type {
  ChangesetQuestionData,
  CheckDescription,
  QuestionData,
  QuestionTextKind,
} from '../../../domain/questions/question-data.ts';
import { listQuestionFacts, type QuestionFact } from '../../../domain/questions/question-facts.ts';
import { formatCount } from '../../../util/format-figures.ts';
import { getJson, useLoaded } from '../../page/client/server-requests.ts';
import { labelTaskStatus } from '../../text/task-status-label.ts';
import { Diffstat } from './changesets-log-sessions.tsx';
import { addSessionToPath, boardState, nameTasks } from './received-board-state.ts';
import { addressOfReview, hasReview } from './review-address.ts';
import { FoldedSection, ForeignText, ForeignTextBlock, ForeignTextList } from './text-components.tsx';

/** Facts that stand above the answers: what it is about, in a line or two each. */
const leading: readonly QuestionFact['kind'][] = ['about', 'change', 'figures', 'shown', 'until', 'warning'];

/** What has to be known first, above the answers. */
export function GateLead({ asks }: { readonly asks: QuestionData }) {
  const facts = listQuestionFacts(asks).filter(({ kind }) => isLeading(asks, kind));
  return facts.length === 0 ? null : <div class="gate-lead">{drawFacts('', asks, facts)}</div>;
}

/** The other facts needed to answer a question, folded where they are long. */
export function QuestionFactsView({ gate, asks }: { readonly gate: string; readonly asks: QuestionData }) {
  return drawFacts(
    gate,
    asks,
    listQuestionFacts(asks).filter(({ kind }) => !isLeading(asks, kind)),
  );
}

function isLeading({ gate }: QuestionData, kind: QuestionFact['kind']): boolean {
  // An agent's question is all that is asked, and so is a review's link.
  if (gate === 'question') return true;
  return leading.includes(kind) && (kind !== 'shown' || (gate === 'changesets' && hasReview));
}

function drawFacts(gate: string, asks: QuestionData, facts: readonly QuestionFact[]) {
  // What heads the board already is not said again.
  const said = boardState.value.session?.objective;
  const fresh = facts.filter((fact) => fact.kind !== 'text' || fact.text !== said);
  return fresh.map((fact) => <GateFact gate={gate} fact={fact} asks={asks} />);
}

interface GateFactProps {
  readonly gate: string;
  readonly fact: QuestionFact;
  readonly asks: QuestionData;
}

function GateFact({ gate, fact, asks }: GateFactProps) {
  switch (fact.kind) {
    case 'about':
      return <code class="gate-about">{fact.text}</code>;
    case 'check':
      return <FoldedCheckResult {...fact.check} />;
    case 'change':
      return <Change {...fact.changeset} />;
    case 'task':
      return <GateTask {...fact.task} />;
    case 'shown':
      if (fact.what === 'plan') return <p class="quiet">Each task on the board holds the prompt for its worker.</p>;
      return asks.gate === 'changesets' && hasReview ? <ReviewLink changeset={asks.id} /> : <Diff gate={gate} />;
    case 'until':
      return (
        <ForeignTextBlock class="quiet">{`Continues without an answer at ${new Date(fact.at).toLocaleTimeString()}.`}</ForeignTextBlock>
      );
    // Each has an answer of its own, which says it.
    case 'attempt':
      return null;
    case 'figures':
      return (
        <dl class="gate-figures">
          {fact.figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      );
    case 'troubled':
      return <TroubledTasks tasks={fact.tasks} />;
    // Each answer says what it leads to.
    case 'effects':
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
        <ForeignText class="row-title">{title}</ForeignText>
        <span class={`badge ${verdict === 'pass' ? 'good' : 'bad'}`}>
          {verdict === null ? 'no verdict' : verdict === 'pass' ? 'passed' : 'failed'}
        </span>
        <code class="quiet">{id}</code>
      </p>
      {notes !== '' && <ForeignTextBlock class="quiet">{notes}</ForeignTextBlock>}
    </div>
  );
}

function TroubledTasks({ tasks }: Pick<Extract<QuestionFact, { readonly kind: 'troubled' }>, 'tasks'>) {
  return (
    <FoldedSection summary={`${formatCount(tasks.length, 'task')} sent back, failed or blocked`}>
      <ul class="rows">
        {tasks.map(({ id, title, status, why }) => {
          const { word, kind } = labelTaskStatus({ status, verdict: null });
          return (
            <li key={id}>
              <span class="row-head">
                <ForeignText class="row-title">{title}</ForeignText>
                <span class={`badge ${kind}`}>{word}</span>
                <code class="quiet">{id}</code>
              </span>
              <ForeignText class="row-note quiet">{nameTasks(why)}</ForeignText>
            </li>
          );
        })}
      </ul>
    </FoldedSection>
  );
}

function ReviewLink({ changeset }: { readonly changeset: string }) {
  return (
    <p>
      <a class="review-link" href={addressOfReview(changeset)} target="flame-review">
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
