import type { StateLogEntry } from '../../domain/ports/store-port.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { dropMailAddresses, toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { removeRepeatedLines } from './render-verdict.ts';

/** Renders the log, day by day: when, what, who where the words don't say it, and why where that is known. */
export function renderLog(entries: readonly StateLogEntry[], style: Style): string {
  if (entries.length === 0) return 'Nothing has happened yet.';
  const shown = removeRepeatedEntries(entries);
  return shown
    .flatMap((entry, index) => {
      const day = dayOf(entry.at);
      const isNewDay = index === 0 || dayOf(shown[index - 1]?.at ?? '') !== day;
      const heading = [...(index === 0 ? [] : ['']), style.bold(`${day} UTC`)];
      return [...(isNewDay ? heading : []), ...renderEntry(entry, style)];
    })
    .join('\n');
}

/** Leaves out entries that another one reports at the same moment: a change of several refs has one on each. */
export function removeRepeatedEntries(entries: readonly StateLogEntry[]): readonly StateLogEntry[] {
  return entries.filter((entry, index) => !isReportedNearby(entry, entries.slice(Math.max(0, index - 2), index + 3)));
}

/** True for a verdict or a review that a task's or session's entry reports at the same moment: it is shown once. */
function isReportedNearby({ ref, trailers, at }: StateLogEntry, near: readonly StateLogEntry[]): boolean {
  const words = beside.get(ref);
  if (words === undefined) return false;
  return near.some(
    (other) =>
      other.ref !== ref &&
      other.at === at &&
      words.test(other.subject) &&
      (trailers.Task ?? '').split(', ').some((task) => (other.trailers.Task ?? task).split(', ').includes(task)),
  );
}

const beside: ReadonlyMap<string, RegExp> = new Map([
  ['refs/blueflame/validations', /\bjudged\b/],
  ['refs/blueflame/reviews', /\blanded\b|-> merged/],
]);

function renderEntry(entry: StateLogEntry, style: Style): readonly string[] {
  const [time, id] = [timeOf(entry.at), shortId(entry.commit)];
  const subject = toPrintableLine(dropMailAddresses(entry.subject));
  const actor = toPrintableLine(dropMailAddresses(entry.author));
  const text = `${time} ${id} ${subject}${subject.includes(actor) ? '' : ` (${actor})`}`;
  const [first = '', ...rest] = wrapText(text, style.width);
  const body = removeRepeatedLines(entry.body, [entry.subject]).trim();
  const head = `${time} ${id}`;
  return [
    `${style.dim(time)} ${style.yellow(id)}${paintChange(first.slice(head.length), entry, style)}`,
    ...rest.flatMap((line) => wrapText(line, style.width, '  ')),
    ...(body === '' ? [] : wrapText(toPrintableText(body), style.width, '         ').map(style.dim)),
  ];
}

/** Paints failures so that they stand out. */
function paintChange(text: string, { trailers }: StateLogEntry, style: Style): string {
  const to = trailers.Transition?.split(' -> ').at(-1);
  if (to === 'failed' || to === 'blocked') return style.red(text);
  if (to === 'merged' || to === 'done') return style.green(text);
  return to === 'requeued' ? style.yellow(text) : text;
}

function dayOf(iso: string): string {
  return toPrintableLine(iso.slice(0, 10));
}

function timeOf(iso: string): string {
  return toPrintableLine(iso.slice(11, 19));
}
