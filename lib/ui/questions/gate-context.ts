import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderDiff } from '../render/render-diff.ts';
import { type EditOptions, editTextInEditor } from '../terminal/edit-text.ts';
import { createPrompter, type Prompter } from '../terminal/prompter.ts';
import { openPager } from '../terminal/run-pager-or-editor.ts';
import type { Style } from '../text/style.ts';
import type { TerminalAsking } from './ask-at-terminal.ts';
import { type UnansweredGate, waitsForPersonError } from './waits-for-person-error.ts';

export interface GateSettings {
  /** How text looks on stderr, where questions are asked. */
  readonly style: Style;
  /** Output of `git var GIT_PAGER` and `git var GIT_EDITOR`. */
  readonly pager: string;
  readonly editor: string;
  /** The command to continue with when the input ends at a question. */
  readonly resume: string;
}

/** Context of every question at the terminal. */
export interface GateContext {
  readonly style: Style;
  print(text: string): void;
  /** The means to ask; the gate says how the question can be answered without a terminal, or which error ends it. */
  asking(waiting: UnansweredGate | FlameError): TerminalAsking;
  /** Shows a diff in the pager; `command` prints it too. */
  viewDiff(diff: string, command: string): Promise<void>;
  /** Shows text in the pager. */
  view(text: string): Promise<void>;
  edit<Value>(request: Pick<EditOptions<Value>, 'fileName' | 'text' | 'parse' | 'isVerbatim'>): Promise<Value | null>;
}

/** `withdrawn` aborts when the question was answered elsewhere. */
export function createGateContext(io: Io, settings: GateSettings, withdrawn?: AbortSignal): GateContext {
  const { style } = settings;
  const prompter: Prompter = createPrompter(io, style.width);
  const print = (text: string): void => void io.stderr.write(`${text}\n`);
  const view = (text: string): Promise<void> => openPager(io, text, { pager: settings.pager, elsewhere: io.stderr });
  return {
    style,
    print,
    asking: (waiting) => {
      const onEnd = (): FlameError =>
        waiting instanceof FlameError ? waiting : waitsForPersonError(waiting, settings.resume);
      const printAside = (line: string): void => print(wrapIndented(line, style.width));
      return { prompter, print: printAside, onEnd, withdrawn, howTo: () => howTo(io, style) };
    },
    viewDiff: (diff, command) => view(renderDiff(diff, style, command)),
    view,
    edit: (request) => editTextInEditor(io, { ...request, editor: settings.editor, print, style, withdrawn }),
  };
}

/** Each line of it as far to the right as the first. */
function wrapIndented(text: string, width: number): string {
  const [indent = ''] = /^ */.exec(text) ?? [];
  return wrapText(text.slice(indent.length), width, indent).join('\n');
}

const announced = new WeakSet<Io>();

/** Once for each terminal. */
function howTo(io: Io, style: Style): string | null {
  if (announced.has(io)) return null;
  announced.add(io);
  return style.dim('Type a letter, then Enter. Ctrl-D leaves the question open; everything is kept.');
}
