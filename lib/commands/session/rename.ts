import { FlameError } from '../../domain/flame-error.ts';
import { sessionIdPattern } from '../../domain/ids.ts';
import type { CommandArgs } from '../../domain/shown/command.ts';
import { type Session, sessionSchema } from '../../domain/state/session.ts';
import { titleOf } from '../../domain/state/session-facts.ts';
import { renameSession } from '../../engine/session/create-session.ts';
import type { Opened } from '../open/open-workshop.ts';

interface Rename {
  /** null: the current one. */
  readonly session: string | null;
  readonly title: string;
}

/** `[SESSION] TITLE`. Throws FlameError `bad-title`. */
export function parseRename({ positionals, globals }: CommandArgs<'session'>): Rename {
  const [words = ''] = positionals;
  const [first = '', ...rest] = words.split(' ');
  const isNamed = sessionIdPattern.test(first);
  const title = isNamed ? rest.join(' ') : words;
  const parsed = sessionSchema.shape.title.unwrap().safeParse(title.trim());
  if (!parsed.success) throw badTitle(title);
  return { session: isNamed ? first : globals.session, title: parsed.data };
}

/** `git flame session rename`: the title that lists and pages show. */
export async function rename(
  { workshop, output, wishes: { isDry } }: Opened,
  session: Session,
  title: string,
): Promise<number> {
  if (!isDry) await renameSession(workshop, session.id, title);
  output.json({ session: session.id, title, before: titleOf(session) });
  output.result(`${session.id} ${isDry ? 'would be' : 'is'} called ${title}.`);
  return 0;
}

function badTitle(title: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'bad-title',
    message:
      title === ''
        ? 'A title is missing.'
        : 'A title is one line of at most 200 characters, without control characters.',
    hints: ["git flame session rename SESSION 'Login with a password'"],
  });
}
