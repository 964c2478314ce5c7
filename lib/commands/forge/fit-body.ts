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
  const last = paragraphs.pop() ?? '';
  const said = (left: number): string =>
    `The text goes on for ${left} characters more than ${host} takes here. All of it, task by task: ${inSession(last)}.`;
  const room = longest - last.length - said(body.length).length - '\n\n\n\n\n'.length;
  let shown = '';
  for (const paragraph of paragraphs) {
    const more = shown === '' ? paragraph : `${shown}\n\n${paragraph}`;
    if (more.length > room) break;
    shown = more;
  }
  // A paragraph that alone is too long is cut between two lines.
  if (shown === '') shown = body.slice(0, Math.max(0, room)).replace(/\n[^\n]*$/, '');
  return `${[shown, said(body.length - shown.length), last].join('\n\n')}\n`;
}

/** The last paragraph begins with the session's id. */
function inSession(last: string): string {
  const id = /^Session `([\w-]+)`/.exec(last)?.[1];
  return id === undefined ? '`git flame show`' : `\`git flame show ${id}\``;
}
