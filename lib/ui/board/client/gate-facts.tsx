import { useSignal } from '@preact/signals';
import type { AskedChangeset, AskedCheck, GateAsks, GateText } from '../../../domain/questions/gate.ts';
import { type Fact, factsOf } from '../../../domain/questions/question-facts.ts';
import { getJson, useLoaded } from '../../page/client/transport.ts';
import { about } from './app.ts';
import { Diffstat } from './lists.tsx';
import { Block, Fold, Text, Texts } from './texts.tsx';

/** Facts needed to answer a question. */
export function GateFacts({ gate, asks }: { readonly gate: string; readonly asks: GateAsks }) {
  return factsOf(asks).map((fact) => <GateFact gate={gate} fact={fact} kind={asks.gate} />);
}

interface GateFactProps {
  readonly gate: string;
  readonly fact: Fact;
  readonly kind: GateAsks['gate'];
}

function GateFact({ gate, fact, kind }: GateFactProps) {
  switch (fact.kind) {
    case 'about':
      return <Text class="gate-about">{fact.text}</Text>;
    case 'check':
      return <CheckFold {...fact.check} />;
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
        <Block class="quiet">{`Continues without an answer at ${new Date(fact.at).toLocaleTimeString()}.`}</Block>
      );
    // Each has an answer of its own, which says it.
    case 'attempt':
      return null;
    case 'items':
    case 'options':
      return <Texts of={fact.texts} />;
    case 'text':
      return <Block>{fact.text}</Block>;
    default:
      return <Block class={fact.kind}>{fact.text}</Block>;
  }
}

function Change({ commit, diffstat, red }: Pick<AskedChangeset, 'commit' | 'diffstat' | 'red'>) {
  return (
    <p class="row-head">
      <Diffstat {...diffstat} />
      <code class="quiet">{commit.slice(0, 10)}</code>
      {red && <span class="badge bad">checks fail</span>}
    </p>
  );
}

function GateTask({ id, title, verdict, notes }: AskedChangeset['tasks'][number]) {
  return (
    <div class="gate-task">
      <p class="row-head">
        <b>{id}</b>
        <span class={`badge ${verdict === 'pass' ? 'good' : 'bad'}`}>{verdict ?? 'no verdict'}</span>
      </p>
      <Text class="row-title">{title}</Text>
      {notes !== '' && <Block class="quiet">{notes}</Block>}
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
  const text = useLoaded(() => loadText(gate, 'diff'));
  return <pre tabIndex={0}>{text instanceof Error ? text.message : (text ?? 'Loading …')}</pre>;
}

/** A text of a question that is open. */
export async function loadText(gate: string, what: GateText): Promise<string> {
  return (await getJson<{ text: string }>(about(`/api/gate/${encodeURIComponent(gate)}/${what}`))).text;
}

/** A check with what it printed. */
export function CheckFold({ command, result, is_good: isGood, output }: AskedCheck) {
  return (
    <Fold class={isGood ? 'check-good' : 'check-bad'} summary={`${isGood ? '✓' : '✗'} ${command}: ${result}`}>
      <pre tabIndex={0}>{output === '' ? '(no output)' : output}</pre>
    </Fold>
  );
}
