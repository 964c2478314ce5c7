import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { listOfferedAnswers } from '../../../domain/questions/offered-answers.ts';
import {
  type AnsweredQuestion,
  answeringPlaceWords,
  type PendingQuestion,
} from '../../../domain/questions/question-data.ts';
import { describeQuestionWithdrawal, renderQuestionTitle } from '../../../domain/questions/question-facts.ts';
import { AnswerForm } from '../../page/client/answer-form.tsx';
import { Button } from '../../page/client/send-form.tsx';
import { postJson } from '../../page/client/server-requests.ts';
import { loadQuestionText, QuestionFactsView } from './question-facts-view.tsx';
import { addSessionToPath, boardState, isFresh } from './received-board-state.ts';
import { FoldedSection, ForeignText, ForeignTextBlock, TimeLabel } from './text-components.tsx';

const mostDecided = 5;

/** A draft of an answer to a question that ended first. */
interface Begun {
  readonly title: string;
  readonly draft: string;
  /** How it ended, a clause. */
  readonly how: string;
}

/** By question. */
const begun = signal<ReadonlyMap<string, Begun>>(new Map());
/** Whether the focus was in the question that went last: the next one has it then. */
let hadFocus = false;

/** The questions that wait for the person, and the outcome of the last ones. */
export function WaitingQuestions() {
  const { gate, notices, session, decided } = boardState.value;
  const last = useRef<PendingQuestion | null>(null);
  if (gate !== null) last.current = gate;
  const next = session?.next ?? null;
  const answered = decided.find(({ id }) => id === last.current?.id);
  const shown = decided.slice(0, mostDecided);
  const lost = [...begun.value].filter(([id]) => id !== gate?.id && !shown.some((one) => one.id === id));
  return (
    <>
      <h2 id="waiting-title">Waits for you</h2>
      <ul id="notices" class="notices">
        {notices.map((text) => (
          <li class="warning">{text}</li>
        ))}
        {next !== null && (
          <li class="next">
            Next, in a terminal: <code>{next}</code>
          </li>
        )}
      </ul>
      <p class="unseen" role="status">
        {gate !== null
          ? `Waits for you: ${renderQuestionTitle(gate.asks)}`
          : answered === undefined
            ? ''
            : sentence(answered)}
      </p>
      <div id="gates">{gate !== null && <Card key={gate.id} {...gate} />}</div>
      {gate === null && next === null && notices.length === 0 && <p class="quiet">Nothing waits for you.</p>}
      <ul id="decided" class="decided">
        {lost.map(([id, { title, how, draft }]) => (
          <li key={id}>
            <ForeignText>{`${title}: ${how}.`}</ForeignText>
            <Draft text={draft} />
          </li>
        ))}
        {shown.map((one) => (
          <li key={one.id}>
            <span class="row-head">
              <ForeignText>{sentence(one)}</ForeignText>
              <TimeLabel at={one.at} class="row-end quiet" />
            </span>
            <Draft text={begun.value.get(one.id)?.draft ?? ''} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A question, with the form of the answer that is chosen. */
function Card(gate: PendingQuestion) {
  const { id, asks } = gate;
  const chosen = useSignal<string | null>(null);
  const card = useRef<HTMLElement>(null);
  const drafts = useRef(new Map<string, string | undefined>()).current;
  const isSent = useRef(false);
  const answers = listOfferedAnswers(asks);
  const answer = answers.find(({ label }) => label === chosen.value);
  const keepDraft = (): void => {
    const draft = [...drafts.values()].filter(Boolean).join('\n\n');
    if (draft === '') return;
    const how = describeQuestionWithdrawal(gate, Date.now());
    begun.value = new Map(begun.value).set(id, { title: renderQuestionTitle(asks), draft, how });
  };
  useLayoutEffect(() => {
    if (hadFocus) card.current?.querySelector('button')?.focus();
    return () => {
      hadFocus = card.current?.contains(document.activeElement) ?? false;
      if (!isSent.current) keepDraft();
    };
  }, []);
  const cancel = (): void => {
    card.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
    chosen.value = null;
  };
  const send = async (given: unknown): Promise<string> => {
    if (!isFresh.value) return 'git flame is not responding. You can decide here once it responds again.';
    isSent.current = true;
    const { problem } = await postJson(addSessionToPath('/api/answer'), { gate: id, answer: given });
    isSent.current = problem === '';
    if (problem !== '' && boardState.value.gate?.id !== id) keepDraft();
    return problem;
  };
  return (
    <article class="gate" data-gate={asks.gate} aria-labelledby={`title-${id}`} ref={card}>
      <h3 id={`title-${id}`} dir="auto">
        {renderQuestionTitle(asks)}
      </h3>
      <div class="gate-facts">
        <QuestionFactsView gate={id} asks={asks} />
      </div>
      <div class="answers">
        {answers.map(({ label, look }) => (
          <Button
            key={label}
            label={label}
            class={look}
            aria-expanded={label === chosen.value}
            onClick={() => {
              chosen.value = label;
            }}
          />
        ))}
      </div>
      <div class="answer-place">
        {answer !== undefined && (
          <AnswerForm
            key={answer.label}
            answer={answer}
            drafts={drafts}
            load={(what) => loadQuestionText(id, what)}
            send={send}
            cancel={cancel}
          />
        )}
      </div>
    </article>
  );
}

function Draft({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <FoldedSection summary="Your draft">
      <ForeignTextBlock>{text}</ForeignTextBlock>
    </FoldedSection>
  );
}

function sentence({ about: what, answer, where }: AnsweredQuestion): string {
  return `${what}: ${answer} (decided ${answeringPlaceWords[where]})`;
}
