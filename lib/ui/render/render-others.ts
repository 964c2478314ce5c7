import type { Session } from '../../domain/state/session.ts';
import { titleOf } from '../../domain/state/session-facts.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostShown = 5;

/** Sessions that are open beside the one shown, newest first, as lines: nothing else mentions them. */
export function renderOthers(
  sessions: readonly Pick<Session, 'id' | 'state' | 'title' | 'objective'>[],
  shown: Pick<Session, 'id'> | null,
): readonly string[] {
  const others = sessions.filter(({ id, state }) => state !== 'ended' && id !== shown?.id).reverse();
  if (others.length === 0) return [];
  const rows = others
    .slice(0, mostShown)
    .map((session) => `  git flame status --session ${session.id}  ${visibleLine(titleOf(session))}`);
  const rest = others.length - rows.length;
  return ['', 'Also open', ...rows, ...(rest === 0 ? [] : [`  and ${rest} more`])];
}
