import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { type LineComment, parseComment } from '../../domain/state/line-comment.ts';
import { visibleLine } from '../text/visible-text.ts';
import { type Asking, askLine, type Choice, choose } from './choose.ts';

const strayChoices: readonly Choice<'k' | 'a'>[] = [
  { key: 'k', label: '(k)eep it' },
  { key: 'a', label: '(a)gain' },
];

/** A remark on one line of the change; null: none after all. */
export async function askComment(
  asking: Asking,
  { strayComment }: Pick<ChangesetQuestion, 'strayComment'>,
): Promise<LineComment | null> {
  for (;;) {
    const typed = await askLine(asking, 'Comment, as PATH:LINE TEXT or PATH:LINE-LINE TEXT (Enter: back): ');
    if (typed.trim() === '') return null;
    const comment = parseComment(typed);
    const stray = comment === null ? null : ((await strayComment?.(comment)) ?? null);
    if (stray !== null) asking.say(visibleLine(stray));
    if (comment !== null && (stray === null || (await choose(asking, strayChoices)) === 'k')) return comment;
    if (comment !== null) continue;
    asking.say('Write the file, a colon, the line and your remark: src/a.ts:12 this is never closed');
  }
}
