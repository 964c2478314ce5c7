import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatElapsed } from '../../../util/format-figures.ts';

interface Named {
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Text of others, which may be read from the right. */
export function ForeignText({ class: name = '', children }: Named) {
  return (
    <span class={name} dir="auto">
      {children}
    </span>
  );
}

/** A text of several lines. */
export function ForeignTextBlock({ class: name = '', children }: Named) {
  return (
    <p class={`text ${name}`} dir="auto">
      {children}
    </p>
  );
}

/** A list of such texts. */
export function ForeignTextList({ of, class: name = '' }: { readonly of: readonly string[]; readonly class?: string }) {
  if (of.length === 0) return null;
  return (
    <ul class={name}>
      {of.map((text) => (
        <li>
          <ForeignText>{text}</ForeignText>
        </li>
      ))}
    </ul>
  );
}

/** A command to type in a terminal, and what copies it. */
export function CommandToCopy({ command }: { readonly command: string }) {
  return (
    <span class="command" key={command}>
      <code>{command}</code>
      <button type="button" class="copy">
        Copy <span class="unseen">{command}</span>
      </button>
    </span>
  );
}

/** Something folded, opened by its summary. */
export function FoldedSection({ class: name = '', summary, children }: Named & { readonly summary: string }) {
  return (
    <details class={name}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

/** Milliseconds that the clock of the board is ahead of the one here. */
let ahead = 0;
/** The time of the board, milliseconds since 1970, each second. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now() + ahead;
}, 1_000);

/** Sets the clock to that of the board. */
export function setBoardClock(now: number): void {
  ahead = now - Date.now();
  clock.value = now;
}

interface Elapsed {
  readonly since: string;
  /** null: it lasts. */
  readonly until?: string | null;
  readonly class?: string;
}

/** How long ago something began, kept up to date, or how long it took; in ISO times. */
export function ElapsedTime({ since, until = null, class: name = '' }: Elapsed) {
  return (
    <time class={name} dateTime={since}>
      {formatElapsed((until === null ? clock.value : Date.parse(until)) - Date.parse(since))}
    </time>
  );
}

/** A moment as a clock shows it here, with the day where that is another one. */
export function TimeLabel({ at, class: name = '' }: { readonly at: string; readonly class?: string }) {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  const clockTime = time.toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const day = time.toLocaleDateString([], { month: 'short', day: 'numeric' });
  return (
    <time class={name} dateTime={at} title={at}>
      {Number.isNaN(time.getTime()) ? at : isToday ? clockTime : `${day}, ${clockTime}`}
    </time>
  );
}
