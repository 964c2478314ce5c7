import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { OfferedAnswer } from '../../../domain/questions/answer-definition.ts';
import { listOfferedAnswers } from '../../../domain/questions/offered-answers.ts';
import {
  type AnsweredQuestion,
  answeringPlaceWords,
  type PendingQuestion,
} from '../../../domain/questions/question-data.ts';
import { describeQuestionWithdrawal, renderQuestionTitle } from '../../../domain/questions/question-facts.ts';
import { formatCount } from '../../../util/format-figures.ts';
import { AnswerForm } from '../../page/client/answer-form.tsx';
import { Button } from '../../page/client/send-form.tsx';
import { postJson } from '../../page/client/server-requests.ts';
import { GateLead, loadQuestionText, QuestionFactsView } from './question-facts-view.tsx';
import { addSessionToPath, boardState, isFresh, nameTasks } from './received-board-state.ts';
import { CommandToCopy, FoldedSection, ForeignText, ForeignTextBlock, TimeLabel } from './text-components.tsx';

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

/** The question that waits for the person, over the end of the board; else that nothing does, or what continues. */
export function WaitingQuestions() {
  const { gate, notices, session, is_running, decided } = boardState.value;
  const last = useRef<PendingQuestion | null>(null);
  if (gate !== null) last.current = gate;
  const answered = decided.find(({ id }) => id === last.current?.id);
  const dock = useScrollPadding(gate?.id);
  const title = gate === null ? '' : `Waits for you: ${renderQuestionTitle(gate.asks)}`;
  const quiet = is_running ? 'Nothing waits for you.' : 'Nothing waits for you, and nothing runs.';
  return (
    <>
      <p class="unseen" role="status">
        {title || (answered === undefined ? '' : sentence(answered))}
      </p>
      <div class="dock" key={gate?.id} ref={dock}>
        <h2 id="waiting-title" class={gate === null ? 'unseen' : ''}>
          {gate === null ? 'What waits for you' : 'Waits for you'}
        </h2>
        <div id="gates">{gate !== null && <Card {...gate} />}</div>
        {gate === null && session !== null && (
          <p class={session.next === null ? 'quiet' : 'next'}>
            {session.next === null ? quiet : 'Nothing runs. To continue, in a terminal: '}
            {session.next !== null && <CommandToCopy command={session.next} />}
          </p>
        )}
        {session === null && isFresh.value && (
          <p class="next start">
            To start one, in a terminal: <CommandToCopy command="git flame run 'What you want done'" />
          </p>
        )}
        <Notices texts={notices} />
      </div>
    </>
  );
}

/** What gets the focus is scrolled to above the element, which lies over the end of the window. */
function useScrollPadding(key: string | undefined) {
  const dock = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: element } = dock;
    if (element === null) return;
    const watch = new ResizeObserver(() => {
      document.documentElement.style.setProperty('scroll-padding-bottom', `${element.offsetHeight + 8}px`);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [key]);
  return dock;
}

/** The outcome of the last questions, and drafts of answers that were too late. */
export function LastDecisions() {
  const { gate, decided } = boardState.value;
  const shown = decided.slice(0, mostDecided);
  const lost = [...begun.value].filter(([id]) => id !== gate?.id && !shown.some((one) => one.id === id));
  if (shown.length + lost.length === 0) return null;
  return (
    <>
      <h2 id="decisions-title">Decided</h2>
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

/** They warn, and ask nothing: one line, until they are unfolded. */
function Notices({ texts }: { readonly texts: readonly string[] }) {
  const [first = '', ...others] = texts;
  if (first === '') return null;
  return (
    <FoldedSection
      class="notices-fold"
      summary={others.length === 0 ? nameTasks(first) : formatCount(texts.length, 'notice')}
    >
      <ul id="notices" class="notices">
        {texts.map((text) => (
          <li class="warning" key={text}>
            <ForeignText>{nameTasks(text)}</ForeignText>
          </li>
        ))}
      </ul>
    </FoldedSection>
  );
}

/** A question, with the form of the answer that is chosen. */
function Card(gate: PendingQuestion) {
  const { id, asks } = gate;
  const chosen = useSignal<string | null>(null);
  const problem = useSignal('');
  const card = useRef<HTMLElement>(null);
  const drafts = useRef(new Map<string, string | undefined>()).current;
  const { send } = useSending(gate, { card, drafts });
  const answers = listOfferedAnswers(asks);
  const answer = answers.find(({ label }) => label === chosen.value);
  const cancel = (): void => {
    card.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
    chosen.value = null;
  };
  const choose = async (one: OfferedAnswer): Promise<void> => {
    chosen.value = isSentAtOnce(one) ? null : one.label;
    problem.value = isSentAtOnce(one) ? await send({ ...one.given, kind: one.word }) : '';
  };
  return (
    <article class="gate" data-gate={asks.gate} aria-labelledby={`title-${id}`} ref={card}>
      <details open>
        <summary>
          <h3 id={`title-${id}`} dir="auto">
            {renderQuestionTitle(asks)}
          </h3>
        </summary>
        <div class="gate-body">
          <div>
            <GateLead asks={asks} />
            <AnswerButtons answers={answers} chosen={answer ?? null} choose={(one) => void choose(one)} />
            <p class="problem text" role="alert" hidden={problem.value === ''}>
              {problem}
            </p>
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
          <div class="gate-facts">
            <QuestionFactsView gate={id} asks={asks} />
          </div>
        </div>
      </details>
    </article>
  );
}

interface Sending {
  readonly card: RefObject<HTMLElement | null>;
  readonly drafts: ReadonlyMap<string, string | undefined>;
}

/** Sends answers to a question; keeps what was written where the question ends without it. */
function useSending(gate: PendingQuestion, { card, drafts }: Sending) {
  const { id, asks } = gate;
  const isSent = useRef(false);
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
  const send = async (given: unknown): Promise<string> => {
    if (!isFresh.value) return 'git flame is not responding. You can decide here once it responds again.';
    isSent.current = true;
    const { problem } = await postJson(addSessionToPath('/api/answer'), { gate: id, answer: given });
    isSent.current = problem === '';
    if (problem !== '' && boardState.value.gate?.id !== id) keepDraft();
    return problem;
  };
  return { send };
}

interface AnswerButtonsProps {
  readonly answers: readonly OfferedAnswer[];
  /** The one whose form is open. */
  readonly chosen: OfferedAnswer | null;
  choose(answer: OfferedAnswer): void;
}

/** The answers, and what the one that is pointed at leads to. */
function AnswerButtons({ answers, chosen, choose }: AnswerButtonsProps) {
  const pointed = useSignal<string | null>(null);
  const explained = answers.find(({ label }) => label === pointed.value) ?? answers[0];
  return (
    <>
      <div class="answers">
        {answers.map((one) => {
          const point = (): void => {
            pointed.value = one.label;
          };
          const isPlain = isSentAtOnce(one);
          return (
            <Button
              key={one.label}
              label={isPlain ? one.label : `${one.label}…`}
              class={one.look}
              title={one.means}
              aria-expanded={isPlain ? undefined : one === chosen}
              onFocus={point}
              onMouseEnter={point}
              onClick={({ detail }) => {
                // The second press of a double one may meet the next question.
                if (detail < 2) choose(one);
              }}
            />
          );
        })}
      </div>
      {chosen === null && explained !== undefined && (
        <p class="means quiet">
          <b>{explained.label}</b>
          {`: ${explained.means}`}
        </p>
      )}
    </>
  );
}

/** Whether one press gives it: it asks for nothing, and ends nothing. */
function isSentAtOnce({ fields, confirms }: OfferedAnswer): boolean {
  return !confirms && fields.every(({ kind }) => kind === 'comments');
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
