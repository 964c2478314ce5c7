import type { Answer, AnswerField } from '../../../domain/questions/answer-row.ts';
import type { GateText } from '../../../domain/questions/gate.ts';
import { make } from './dom.ts';

type Value = string | number | boolean | readonly string[];

interface Shown {
  readonly element: HTMLElement;
  /** undefined: it was left empty. */
  read(): Value | undefined;
  /** What was written by hand, to be shown where it comes to nothing. */
  draft(): string;
}

interface FormOptions {
  /** A text that a field holds at first. */
  load(what: GateText): Promise<string>;
  /** Resolves to what is wrong; '' once it counts. */
  send(answer: unknown): Promise<string>;
  cancel(): void;
}

export interface AnswerForm {
  readonly element: HTMLFormElement;
  draft(): string;
}

let forms = 0;

/** The form of one answer: sent as a whole, and kept as it is where it is refused. */
export function answerForm(choice: Answer, { load, send, cancel }: FormOptions): AnswerForm {
  forms += 1;
  const prefix = `answer-${forms}`;
  const fields = choice.fields.flatMap((field, at) => {
    const shown = showField(field, `${prefix}-${at}`, load);
    return shown === null ? [] : [{ field, shown }];
  });
  const submit = make('button', `answer-send ${choice.look}`, choice.label);
  submit.type = 'submit';
  const back = make('button', '', 'Back');
  back.type = 'button';
  back.addEventListener('click', cancel);
  const problem = make('p', 'problem text');
  problem.setAttribute('role', 'alert');
  problem.hidden = true;
  const element = make(
    'form',
    'answer-form',
    make('p', 'quiet', `${choice.means.charAt(0).toUpperCase()}${choice.means.slice(1)}.`),
    ...fields.map(({ shown }) => shown.element),
    problem,
    make('div', 'answer-tools', submit, back),
  );
  const say = (words: string): void => {
    problem.textContent = words;
    problem.hidden = words === '';
  };
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const filled: Record<string, unknown> = { ...choice.given, kind: choice.word };
    for (const { field, shown } of fields) {
      const value = shown.read();
      if (value === undefined) continue;
      const isListed = field.kind === 'words' && field.isListed === true;
      filled[field.name] = isListed ? [filled[field.name] ?? [], value].flat() : value;
    }
    submit.disabled = true;
    say('');
    void send(filled).then((wrong) => {
      submit.disabled = false;
      say(wrong);
    });
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) element.requestSubmit();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    cancel();
  });
  return {
    element,
    draft: () =>
      fields
        .map(({ shown }) => shown.draft())
        .filter(Boolean)
        .join('\n\n'),
  };
}

/** null: a form has no place for it. */
function showField(field: AnswerField, id: string, load: FormOptions['load']): Shown | null {
  switch (field.kind) {
    case 'words':
      return showWords(field, id, load);
    case 'lines': {
      const area = makeArea(id, field.value.join('\n'));
      const read = (): readonly string[] =>
        area.value
          .split('\n')
          .map((one) => one.trim())
          .filter(Boolean);
      return { element: labelled(field.label, area), read, draft: () => changed(area) };
    }
    case 'tick': {
      const box = make('input', '');
      box.type = 'checkbox';
      return {
        element: make('label', 'answer-tick', box, ` ${field.label}`),
        read: () => box.checked,
        draft: () => '',
      };
    }
    case 'amount': {
      const input = make('input', '');
      Object.assign(input, {
        id,
        type: 'number',
        min: '0',
        step: field.isWhole ? '1' : 'any',
        required: true,
      });
      return { element: labelled(field.label, input), read: () => input.valueAsNumber, draft: () => '' };
    }
    case 'one':
    case 'some':
      return showOptions(field, id);
    case 'comments':
      return null;
  }
}

function showWords(
  field: Extract<AnswerField, { readonly kind: 'words' }>,
  id: string,
  load: FormOptions['load'],
): Shown {
  const area = makeArea(id, field.value ?? '');
  area.required = field.isNeeded;
  if (field.loads !== undefined) {
    area.rows = 16;
    area.disabled = true;
    load(field.loads).then(
      (text) => {
        area.value = text;
        area.defaultValue = text;
        area.disabled = false;
      },
      (error: unknown) => {
        area.placeholder = error instanceof Error ? error.message : String(error);
      },
    );
  }
  const read = (): string | undefined => {
    const isLeft = field.loads !== undefined && changed(area) === '';
    return !field.isNeeded && (isLeft || area.value.trim() === '') ? undefined : area.value;
  };
  return { element: labelled(field.label, area), read, draft: () => changed(area) };
}

function makeArea(id: string, value: string): HTMLTextAreaElement {
  const area = make('textarea', '');
  area.id = id;
  area.rows = 3;
  area.dir = 'auto';
  area.defaultValue = value;
  return area;
}

function changed({ value, defaultValue }: HTMLTextAreaElement): string {
  return value === defaultValue ? '' : value;
}

function labelled(label: string, input: HTMLElement): HTMLElement {
  const words = make('label', '', label);
  words.htmlFor = input.id;
  return make('div', 'answer-field', words, input);
}

function showOptions(field: Extract<AnswerField, { readonly options: unknown }>, id: string): Shown {
  const boxes = field.options.map(({ value, label }, at) => {
    const box = make('input', '');
    Object.assign(box, { type: field.kind === 'one' ? 'radio' : 'checkbox', name: id, value });
    box.checked = field.kind === 'one' && at === 0;
    const words = make('span', '', label);
    words.dir = 'auto';
    return { box, row: make('label', 'answer-tick', box, ' ', words) };
  });
  const element = make('fieldset', '', make('legend', '', field.label), ...boxes.map(({ row }) => row));
  const chosen = (): readonly string[] => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  return { element, read: () => (field.kind === 'one' ? chosen()[0] : chosen()), draft: () => '' };
}
