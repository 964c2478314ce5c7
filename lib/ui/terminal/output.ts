import type { GlobalOptions, Io } from '../../domain/view-models/command.ts';
import type { RunEvent, RunEventBody, RunEventSink } from '../../domain/view-models/run-event.ts';
import { textWidth } from '../../util/format-width.ts';
import { renderNextCommand } from '../render/render-error.ts';
import { renderEvent } from '../render/render-event.ts';
import { renderPrintableJsonLine } from '../text/printable-text.ts';
import { createStyle, type Style } from '../text/style.ts';

/** An object, never a bare list: keys can be added to it without breaking who reads it. */
type NoList<Answer> = Answer extends readonly unknown[] ? never : Answer;

/** Where a command says things: its result on stdout, everything else on stderr. */
export interface Output {
  /** Whether --json was given. */
  readonly isJson: boolean;
  /** How text looks on stdout, and on stderr. */
  readonly style: Style;
  readonly errorStyle: Style;
  /** The command's answer as text; nothing with --json, whose answer is json(). */
  result(text: string): void;
  /** The command's answer as one JSON object on one line of stdout, with its `schema_version`; nothing without --json. */
  json<Answer extends object>(answer: NoList<Answer>): void;
  /** One of many lines of JSON, as they come; nothing without --json. */
  jsonLine(value: object): void;
  /** Said on stderr unless --quiet or --json. */
  info(text: string): void;
  warn(text: string): void;
  /** Prints the next command, on stderr unless --quiet or --json. */
  hint(command: string): void;
  /** One line per event: on stderr, with --json as JSON on stdout. */
  readonly events: RunEventSink;
}

interface OutputOptions {
  /** The person's colour setting in git: always, never, or (null or absent) what the stream allows. */
  readonly gitColor?: boolean | null;
  readonly now?: () => Date;
}

/** The output of one command. */
export function createOutput(io: Io, globals: GlobalOptions, options: OutputOptions = {}): Output {
  const { color, plain, json: isJson, quiet } = globals;
  const gitColor = options.gitColor ?? null;
  const style = createStyle(io.stdout, io.env, { color, plain, gitColor });
  const errorStyle = createStyle(io.stderr, io.env, { color, plain, gitColor });
  const print = (text: string): void => void io.stderr.write(`${text}\n`);
  const jsonLine = (value: object): void => void (isJson && io.stdout.write(`${renderPrintableJsonLine(value)}\n`));
  const now = options.now ?? (() => new Date());
  const emit = (body: RunEventBody): void => {
    const { event, ...rest } = body;
    const whole = { event, at: now().toISOString(), ...rest } as RunEvent;
    if (isJson) {
      io.stdout.write(`${renderPrintableJsonLine(whole)}\n`);
      return;
    }
    const line = quiet && !isNews(whole) ? null : renderEvent(whole, errorStyle);
    if (line !== null) print(wrapLines(line, errorStyle.width));
  };
  const isSilent = quiet || isJson;
  return {
    isJson,
    style,
    errorStyle,
    result: (text) => void (isJson || io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)),
    json: (answer) => jsonLine({ schema_version: 1, ...answer }),
    jsonLine,
    info: (text) => void (isSilent || print(text)),
    warn: (text) =>
      print(
        isJson ? renderPrintableJsonLine({ warning: { message: text } }) : `${errorStyle.yellow('warning:')} ${text}`,
      ),
    hint: (command) => void (isSilent || print(renderNextCommand(command, errorStyle))),
    events: { emit },
  };
}

function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
}

/** Whether an event is shown even with --quiet: warnings, failures, and how the session ended. */
function isNews(event: RunEvent): boolean {
  switch (event.event) {
    case 'plan-invalid':
    case 'task-failed':
    case 'landing-refused':
    case 'manual-review':
    case 'evidence-verified':
    case 'board':
    case 'review-page':
    case 'session-ended':
    case 'paused':
    case 'agent-stalled':
    case 'conflicts-ahead':
      return true;
    case 'notice':
      return event.level === 'warning';
    case 'canary':
      return event.result === 'failed';
    case 'verdict':
      return event.status === 'fail';
    case 'changeset-built':
      return event.red;
    case 'script':
      return event.exit_code !== 0;
    default:
      return false;
  }
}

/**
 * A painted line broken between words, what follows indented. Words are left whole, however long: the terminal
 * breaks those itself, and a colour's code would not survive it.
 */
function wrapLine(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  const indent = `${/^ */.exec(line)?.[0] ?? ''}  `;
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (current.trim() === '' || textWidth(joined) <= width) {
      current = joined;
      continue;
    }
    lines.push(current);
    current = indent + word;
  }
  return [...lines, current].join('\n');
}
