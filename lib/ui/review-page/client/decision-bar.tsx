import { useLayoutEffect, useRef } from 'preact/hooks';
import type { OfferedAnswer } from '../../../domain/questions/answer-definition.ts';
import { renderLineRange } from '../../../domain/state/line-range.ts';
import { AnswerForm } from '../../page/client/answer-form.tsx';
import { getJson } from '../../page/client/server-requests.ts';
import type { ReviewPageChangeset } from '../page-facts.ts';
import { chooseChangeset, findNextWaiting } from './changesets.ts';
import { formDraftsOfChangeset, listShownDraftComments } from './drafts.ts';
import { viewedWords } from './file-tree.ts';
import { boardUrl, renderPageAddress } from './page-address.ts';
import {
  isApprovalPrevented,
  nameOfRound,
  reviewState,
  shownChangeset,
  shownChangesetKey,
  whyUnsaved,
} from './review-state.ts';
import {
  answerReadyForEnter,
  clearReadyAnswer,
  isSendingDecision,
  isShownChangesetOpen,
  lastRefusal,
  openedAnswerForm,
  sendChangesetAnswer,
  sendTakeBack,
} from './send-decision.ts';

/** The answers that have keys, by those of the terminal, some of which mean something else on this page. */
const keys: Readonly<Record<string, string>> = {
  '(a)pprove': 'a',
  '(r)eject': 'r',
  '(s)kip': 's',
  '(m)essage': 'e',
};

const usual = ['a', 'r', 's'];

/** Answers to the changeset shown, and its state. */
export function DecisionBar() {
  const changeset = shownChangeset.value;
  if (changeset === undefined) return null;
  const refusal = lastRefusal.value?.shown === shownChangesetKey.value ? lastRefusal.value.text : '';
  const unsaved = whyUnsaved.value === '' ? '' : `What you began is in this tab alone. ${whyUnsaved.value}`;
  const problem = refusal || (reviewState.value.phase === 'ended' ? '' : unsaved);
  const canUndo = reviewState.value.phase !== 'ended' && changeset.isUndoable;
  const answer = isShownChangesetOpen()
    ? changeset.answers.find(({ label }) => label === openedAnswerForm.value)
    : undefined;
  return (
    <>
      <p class={`bar-words ${problem === '' ? '' : 'problem'}`} id="bar-words" role="status">
        {problem || (isSendingDecision.value ? 'Sending …' : (armedWords() ?? <Standing changeset={changeset} />))}
      </p>
      <div class="bar-tools">
        {canUndo && (
          <button
            type="button"
            aria-keyshortcuts="u"
            disabled={isSendingDecision.value}
            onClick={() => void sendTakeBack()}
          >
            Undo <kbd>u</kbd>
          </button>
        )}
        {changeset.state === 'waiting' && <AnswerButtons answers={changeset.answers} />}
      </div>
      {answer !== undefined && (
        <AnswerDialog key={`${shownChangesetKey.value} ${answer.label}`} answer={answer} changeset={changeset} />
      )}
    </>
  );
}

/** Those without a key stand behind a button of their own where there is little room. */
function AnswerButtons({ answers }: Pick<ReviewPageChangeset, 'answers'>) {
  const all = answers.toReversed();
  const isUsual = ({ key }: OfferedAnswer): boolean => usual.includes(keys[key] ?? '');
  const draw = (answer: OfferedAnswer) => <AnswerButton key={answer.label} answer={answer} />;
  return (
    <>
      <button type="button" class="more-answers" popovertarget="other-answers">
        More …
      </button>
      <div id="other-answers" popover="auto">
        {all.filter((answer) => !isUsual(answer)).map(draw)}
      </div>
      {all.filter(isUsual).map(draw)}
    </>
  );
}

function AnswerButton({ answer }: { readonly answer: OfferedAnswer }) {
  const { label, look, key } = answer;
  const isArmed = answerReadyForEnter.value === label;
  const shortcut = keys[key];
  return (
    <button
      type="button"
      class={`${look} ${isArmed ? 'armed' : ''}`}
      aria-keyshortcuts={shortcut}
      disabled={!canGive(answer)}
      onClick={() => give(answer)}
      onBlur={clearReadyAnswer}
    >
      {isPlain(answer) ? label : `${label} …`} {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </button>
  );
}

function canGive({ word }: OfferedAnswer): boolean {
  const isBlocked = word === 'approve' && (isApprovalPrevented.value || shownChangeset.value?.needs !== '');
  return isShownChangesetOpen() && !isSendingDecision.value && !isBlocked;
}

/** Whether it says all by itself: it asks for nothing, and has a key. */
function isPlain({ key, fields }: OfferedAnswer): boolean {
  return key in keys && fields.every(({ kind }) => kind === 'comments');
}

function give(answer: OfferedAnswer): void {
  if (isPlain(answer)) void sendChangesetAnswer({ ...answer.given, kind: answer.word }, answer);
  else openedAnswerForm.value = answer.label;
}

/** By key: a plain answer is made ready, and Enter gives it. False: the key is no answer's. */
export function pressAnswerKey(key: string): boolean {
  const answer = shownChangeset.value?.answers.find((one) => keys[one.key] === key);
  if (answer === undefined) return false;
  if (!canGive(answer)) return true;
  if (!isPlain(answer)) give(answer);
  else {
    answerReadyForEnter.value = answer.label;
    document.querySelector<HTMLElement>(`.bar [aria-keyshortcuts="${key}"]`)?.focus();
  }
  return true;
}

function armedWords(): string | null {
  const answer = shownChangeset.value?.answers.find(({ label }) => label === answerReadyForEnter.value);
  if (answer === undefined) return null;
  const until = answer.word === 'skip' ? ' until the next cycle' : '';
  return `Press Enter to ${answer.word} it${until}, Escape to cancel.`;
}

function AnswerDialog({
  answer,
  changeset,
}: {
  readonly answer: OfferedAnswer;
  readonly changeset: ReviewPageChangeset;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current: element } = dialog;
    element?.showModal();
    // Closing gives the focus back.
    return () => element?.close();
  }, []);
  const close = (): void => {
    openedAnswerForm.value = null;
  };
  const send = async (given: unknown): Promise<string> => {
    const wrong = await sendChangesetAnswer({ ...Object(given) }, answer);
    if (wrong === '') close();
    return wrong;
  };
  // Its close event comes late: another answer may be open by then.
  const onClose = (): void => {
    if (dialog.current?.isConnected) close();
  };
  return (
    <dialog id="answer-dialog" aria-labelledby="answer-title" ref={dialog} onCancel={close} onClose={onClose}>
      <h2 id="answer-title">{`${answer.label}: ${changeset.group}`}</h2>
      <AnswerForm
        answer={answer}
        drafts={formDraftsOfChangeset(shownChangesetKey.value)}
        load={() => loadMessage(changeset)}
        send={send}
        cancel={close}
      >
        {answer.fields.some(({ kind }) => kind === 'comments') && <Comments />}
      </AnswerForm>
    </dialog>
  );
}

/** Comments sent with the answer. */
function Comments() {
  const drafts = listShownDraftComments();
  if (drafts.length === 0)
    return <p class="quiet">To send comments with it, press + beside a line or drag over several numbers.</p>;
  return (
    <div>
      <p class="quiet">Sent with these comments:</p>
      <ul>
        {drafts.map(({ path, text, ...at }) => (
          <li>{`${path}:${renderLineRange(at)}: ${text}`}</li>
        ))}
      </ul>
    </div>
  );
}

async function loadMessage({ id }: ReviewPageChangeset): Promise<string> {
  const path = `/api/message/${encodeURIComponent(id)}`;
  const found = await getJson<{ message: string }>(path).catch(() => {
    throw new Error('The commits of its tasks land with their own messages.');
  });
  return found.message;
}

/** How the changeset that is shown stands, a sentence or two. */
function Standing({ changeset }: { readonly changeset: ReviewPageChangeset }) {
  const { changesets, phase, message } = reviewState.value;
  const left = changesets.filter(({ state }) => state === 'waiting').length;
  const { length: comments } = listShownDraftComments();
  if (changeset.state !== 'waiting') {
    const unsent = comments === 1 ? 'Your comment was' : `Your ${comments} comments were`;
    return (
      <>
        {decidedWords(changeset)}
        {comments > 0 && ` ${unsent} not sent; this page keeps your text.`} <NextWaiting left={left} />
      </>
    );
  }
  const name = nameOfRound(changeset);
  // Why, is said at the top.
  if (phase === 'ended') return <>{`${name} was not decided.`}</>;
  if (phase === 'working') return <>{message}</>;
  if (changeset.needs !== '') return <>{`${name} is stacked on ${changeset.needs}: decide that first.`}</>;
  const noted = comments === 1 ? '1 comment is' : `${comments} comments are`;
  return (
    <>
      {`${name} waits for you${left > 1 ? `, and ${left - 1} more` : ''}.`}
      {changeset.isRed && <b class="problem"> Checks fail.</b>}
      {viewedWords.value !== '' && ` ${viewedWords.value}.`}
      {comments > 0 && ` ${noted} sent with your decision.`}
    </>
  );
}

/** Where to go from a changeset that is decided. */
function NextWaiting({ left }: { readonly left: number }) {
  const next = findNextWaiting();
  const board = boardUrl();
  if (next === undefined) return board === null ? null : <a href={board}>Back to the board</a>;
  const go = (event: MouseEvent): void => {
    event.preventDefault();
    chooseChangeset(next);
  };
  return (
    <>
      <a href={renderPageAddress({ changeset: next.id, path: null })} onClick={go}>
        {left === 1 ? '1 other waits' : `${left} others wait`} for you
      </a>
      .
    </>
  );
}

const stands: Partial<Record<ReviewPageChangeset['state'], string>> = {
  landed: 'has landed, approved',
  rejected: 'was sent back',
  void: 'is stale and must be rebuilt',
};

/** The outcome of a changeset that doesn't wait. */
function decidedWords(changeset: ReviewPageChangeset): string {
  const { state: now, by, reason } = changeset;
  const group = nameOfRound(changeset);
  const what = stands[now] ?? `is ${now}`;
  const words = `${group} ${what}${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}`;
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
