import { asSuggestion, suggestedLines, wordsBeside } from '../../../domain/state/line-range.ts';
import { around, make } from '../../page/client/dom.ts';
import { current } from './app.ts';
import { applySuggestions } from './decide.ts';
import { type Draft, draftsHere } from './drafts.ts';
import { findNumber } from './pick-lines.ts';

/** Offers the commented lines for editing, as a suggestion; none for lines that are gone. */
export function suggestButton(
  text: HTMLTextAreaElement,
  draft: Draft,
  number: HTMLElement,
): readonly HTMLElement[] {
  if (draft.side === 'old') return [];
  const button = make('button', '', 'Suggest other lines');
  button.type = 'button';
  button.addEventListener('click', () => {
    const before = text.value.trimEnd();
    // One comment suggests once.
    if (suggestedLines(before) !== null) {
      text.focus();
      return;
    }
    const lines = linesOf(draft, number);
    if (lines === null) {
      button.replaceWith(
        make('span', 'quiet', 'One of these lines is not shown as it is, so it can’t be edited here.'),
      );
      text.focus();
      return;
    }
    text.value = `${before === '' ? '' : `${before}\n`}${asSuggestion(lines)}`;
    text.rows = Math.min(20, text.value.split('\n').length + 1);
    text.dispatchEvent(new Event('input'));
    text.focus();
  });
  return [button];
}

/** Shows a comment; a suggestion as the lines that go and those that come. */
export function showText(draft: Draft, number: HTMLElement): readonly HTMLElement[] {
  const lines = draft.side === 'old' ? null : suggestedLines(draft.text);
  if (lines === null) return [make('div', 'said', draft.text)];
  const words = wordsBeside(draft.text);
  const were = linesOf(draft, number) ?? [];
  const suggested = make(
    'div',
    'suggested',
    ...were.map((line) => make('del', '', line)),
    ...lines.map((line) => make('ins', '', line)),
  );
  return [...(words === '' ? [] : [make('div', 'said', words)]), suggested];
}

/** Buttons to apply the person's own suggestion, alone or with all others. */
export function applyButtons(draft: Draft): readonly HTMLElement[] {
  const all = draftsHere().filter(isSuggestion);
  if (!isSuggestion(draft) || current.value?.state !== 'waiting') return [];
  const one = make('button', 'apply', 'Apply as my commit');
  one.type = 'button';
  one.addEventListener('click', () => void applySuggestions([draft]));
  if (all.length < 2) return [one];
  const every = make('button', 'apply', `Apply all ${all.length}`);
  every.type = 'button';
  every.addEventListener('click', () => void applySuggestions(draftsHere().filter(isSuggestion)));
  return [one, every];
}

function isSuggestion({ side, text }: Draft): boolean {
  return side === 'new' && suggestedLines(text) !== null;
}

// Marks of a page behind a line's end: a suggestion changes neither.
const ending = /(?:⟦CR⟧)?(?:⟦no newline at the end⟧)?$/;

/** As they are now; null where one of them is not shown as it is. */
function linesOf({ side, line, to = line }: Draft, number: HTMLElement): readonly string[] | null {
  const rows = around(number, '.lines');
  const lines: string[] = [];
  for (let at = line; rows !== null && at <= to; at += 1) {
    const cells = findNumber(rows, { side, line: at })?.closest('tr')?.querySelectorAll<HTMLElement>('td.c');
    const text = [...(cells ?? [])].at(-1)?.textContent?.replace(ending, '') ?? null;
    if (text === null || text.includes('⟦')) return null;
    lines.push(text);
  }
  return lines;
}
