/**
 * A request's text in the length that its host takes, cut between two paragraphs: a sentence says how much is left out and
 * where all of it is, and its last paragraph, which names the session, stays.
 */
export function fitBody(
  body: string,
  { longest, host }: { readonly longest: number; readonly host: string },
): string {
  if (body.length <= longest) return body;
  const paragraphs = body.trimEnd().split('\n\n');
  const end = paragraphs.at(-1) ?? '';
  // A last paragraph that names no session, or takes over half of the room, is cut like the others.
  const stays = sessionOf(end) !== null && end.length <= longest / 2;
  const last = stays ? (paragraphs.pop() ?? '') : '';
  const said = (left: number): string =>
    `The text goes on for ${left} characters more than ${host} takes here. All of it, task by task: ${inSession(end)}.`;
  const room = longest - last.length - said(body.length).length - '\n\n\n\n\n'.length;
  let shown = '';
  for (const paragraph of paragraphs) {
    const more = shown === '' ? paragraph : `${shown}\n\n${paragraph}`;
    if (more.length > room) break;
    shown = more;
  }
  // A paragraph that alone is too long is cut between two lines, and a line that is between two characters.
  if (shown === '') {
    const cut = body.slice(0, Math.max(0, room)).replace(/[\ud800-\udbff]$/, '');
    shown = cut.replace(/\n[^\n]*$/, '');
  }
  const parts = [shown, said(body.length - shown.length), last].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

/** The last paragraph begins with the session's id; null: it is another. */
function sessionOf(last: string): string | null {
  return /^Session `([\w-]{1,64})`/.exec(last)?.[1] ?? null;
}

function inSession(last: string): string {
  const id = sessionOf(last);
  return id === null ? '`git flame show`' : `\`git flame show ${id}\``;
}
