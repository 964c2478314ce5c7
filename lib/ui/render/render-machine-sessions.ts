import type {
  MachineSession,
  MachineSessionsView,
  UnreadableRepository,
} from '../../domain/view-models/machine-sessions-view.ts';
import { formatCount, formatDuration } from '../../util/format-figures.ts';
import { padText, textWidth, wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { renderNextCommand } from './render-error.ts';

interface MachineOptions {
  /** For how long something waits. */
  readonly now: Date;
  /** The person's home folder, shown as `~`; '' where there is none. */
  readonly home: string;
}

const titles = { waits: 'Waits for you', paused: 'Paused', running: 'Running' } as const;

/** The open sessions of a machine: what waits where and for how long, each with the command to copy. */
export function renderMachineSessions(view: MachineSessionsView, style: Style, options: MachineOptions): string {
  const { sessions, ended, unreadable } = view;
  const parts = [
    ...(['waits', 'paused', 'running'] as const).map((standing) =>
      section(
        titles[standing],
        renderRows(
          sessions.filter((one) => one.standing === standing),
          style,
          options,
        ),
        style,
      ),
    ),
    section('Cannot be read', renderUnreadable(unreadable, style, options), style),
    section('Ended', renderPlaces(ended, style, options), style),
  ].filter((lines) => lines.length > 0);
  const first = renderNextCommand("cd REPOSITORY && git flame run 'What you want done'", style);
  const none = ['No session is open on this machine.', first];
  return [...(sessions.length === 0 ? [none] : []), ...parts].map((lines) => lines.join('\n')).join('\n\n');
}

function section(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : [style.bold(title), ...lines];
}

const gap = '  ';
const mostPlace = 32;

/** Columns for age and place; what it is about beside them, or below where the terminal is narrow. */
function renderRows(rows: readonly MachineSession[], style: Style, options: MachineOptions): readonly string[] {
  const cells = rows.map((row) => ({ row, age: ageOf(row, options), place: shorten(row.repository, options) }));
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(textWidth));
  const age = widest(cells.map((one) => one.age));
  const place = widest(cells.map((one) => one.place));
  const indent = ' '.repeat(age + 4);
  return cells.flatMap(({ row, age: since, place: where }) => {
    const paint = row.standing === 'waits' ? style.yellow : style.dim;
    const head = `${gap}${paint(padText(since, age))}${gap}${style.bold(padText(where, place))}${gap}`;
    const about = describe(row);
    const room = style.width - textWidth(head);
    const [first = '', ...rest] =
      room < textWidth(row.title) / 2 + 20
        ? ['', ...wrapText(about, style.width, indent)]
        : hang(about, room, textWidth(head));
    return [`${head}${first}`.trimEnd(), ...rest, `${indent}${style.cyan(toPrintableLine(row.next))}`];
  });
}

function hang(text: string, room: number, indent: number): readonly string[] {
  return wrapText(text, room).map((line, at) => (at === 0 ? line : ' '.repeat(indent) + line));
}

function describe({ title, waits, tasks, standing }: MachineSession): string {
  const done = tasks.all === 0 ? 'no tasks' : `${tasks.landed} of ${formatCount(tasks.all, 'task')} landed`;
  const stands = standing === 'waits' ? waits.join('; ') : done;
  return `${toPrintableLine(title)}: ${toPrintableLine(stands)}`;
}

function ageOf({ since }: MachineSession, { now }: MachineOptions): string {
  const age = now.getTime() - Date.parse(since);
  // Another clone's clock may be ahead.
  return age >= 1_000 ? formatDuration(age) : 'now';
}

/** The end of a long path says more than its beginning. */
function shorten(path: string, { home }: MachineOptions): string {
  const isInHome = home.length > 1 && (path === home || path.startsWith(`${home}/`));
  const shown = toPrintableLine(isInHome ? `~${path.slice(home.length)}` : path);
  const letters = [...shown];
  return letters.length <= mostPlace ? shown : `…${letters.slice(1 - mostPlace).join('')}`;
}

function renderUnreadable(
  all: readonly UnreadableRepository[],
  style: Style,
  options: MachineOptions,
): readonly string[] {
  return all.flatMap(({ repository, message, hints }) => [
    ...wrapText(`${shorten(repository, options)}: ${toPrintableLine(message)}`, style.width, gap),
    ...hints.slice(0, 1).map((hint) => `${gap}${gap}${style.cyan(toPrintableLine(hint))}`),
  ]);
}

function renderPlaces(places: readonly string[], style: Style, options: MachineOptions): readonly string[] {
  if (places.length === 0) return [];
  const named = places.map((place) => shorten(place, options)).join(', ');
  return wrapText(named, style.width, gap).map((line) => style.dim(line));
}
