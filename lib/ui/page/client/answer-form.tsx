import type { ComponentChildren } from 'preact';
import type { AnswerField, OfferedAnswer } from '../../../domain/questions/answer-definition.ts';
import type { QuestionTextKind } from '../../../domain/questions/question-data.ts';
import { Button, SendForm } from './send-form.tsx';
import { useLoaded } from './server-requests.ts';

interface AnswerFormProps {
  readonly answer: OfferedAnswer;
  readonly drafts: FormDrafts;
  /** A text that a field holds at first. */
  load(what: QuestionTextKind): Promise<string>;
  /** Resolves to what is wrong; '' once it counts. */
  send(given: unknown): Promise<string>;
  cancel(): void;
  /** Beside what it asks for. */
  readonly children?: ComponentChildren;
}

/** Text written in fields of forms, by their names: it outlives the form. undefined: unchanged. */
export interface FormDrafts {
  get(field: string): string | undefined;
  set(field: string, text: string | undefined): unknown;
}

/** The form of an answer to any question. One is open at a time. */
export function AnswerForm({ answer, drafts, load, send, cancel, children }: AnswerFormProps) {
  const { means, fields, label, send: sendLabel, look } = answer;
  return (
    <SendForm
      label={sendLabel || label}
      look={look}
      tools={<Button label="Cancel" onClick={cancel} />}
      send={(form) => send(readForm(form, answer))}
      cancel={cancel}
    >
      <p class="quiet">{`${means.charAt(0).toUpperCase()}${means.slice(1)}.`}</p>
      {fields.map((field, at) => (
        <Field field={field} id={idOf(at)} drafts={drafts} load={load} />
      ))}
      {children}
    </SendForm>
  );
}

function idOf(at: number): string {
  return `answer-${at}`;
}

interface FieldProps extends Pick<AnswerFormProps, 'drafts' | 'load'> {
  readonly field: AnswerField;
  readonly id: string;
}

function Field({ field, id, ...texts }: FieldProps) {
  switch (field.kind) {
    case 'words':
    case 'lines':
      return <Words field={field} id={id} {...texts} />;
    case 'tick':
      return (
        <label class="answer-tick">
          <input type="checkbox" name={id} /> {field.label}
        </label>
      );
    case 'amount':
      return (
        <div class="answer-field">
          <label for={id}>{field.label}</label>
          <input id={id} name={id} type="number" min={0} step={field.isWhole ? 1 : 'any'} required />
        </div>
      );
    case 'one':
    case 'some':
      return <Options field={field} id={id} />;
    // A form has no place for them.
    case 'comments':
      return null;
  }
}

type Of<Kind extends AnswerField['kind']> = Omit<FieldProps, 'field'> & {
  readonly field: Extract<AnswerField, { readonly kind: Kind }>;
};

function Words({ field, id, drafts, load }: Of<'words' | 'lines'>) {
  const loads = field.kind === 'words' ? field.loads : undefined;
  const loaded = useLoaded(async () => (loads === undefined ? '' : load(loads)));
  const given = field.kind === 'words' ? (field.value ?? '') : field.value.join('\n');
  const text = loads === undefined ? given : loaded;
  const start = typeof text === 'string' ? text : '';
  // Of several with one name each has its own.
  const draft = field.kind === 'words' && field.isListed === true ? `${field.name} ${id}` : field.name;
  return (
    <div class="answer-field">
      <label for={id}>{field.label}</label>
      <textarea
        id={id}
        name={id}
        dir="auto"
        rows={loads === undefined ? 3 : 16}
        required={field.kind === 'words' && field.isNeeded}
        readOnly={typeof text !== 'string'}
        placeholder={text instanceof Error ? text.message : ''}
        defaultValue={start}
        value={drafts.get(draft) ?? start}
        onInput={({ currentTarget: { value } }) => drafts.set(draft, value === start ? undefined : value)}
      />
    </div>
  );
}

function Options({ field, id }: Pick<Of<'one' | 'some'>, 'field' | 'id'>) {
  const isOne = field.kind === 'one';
  const type = isOne ? 'radio' : 'checkbox';
  return (
    <fieldset>
      <legend>{field.label}</legend>
      {field.options.map(({ value, label }, at) => (
        <label class="answer-tick" key={value}>
          <input type={type} name={id} value={value} defaultChecked={isOne && at === 0} />{' '}
          <span dir="auto">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function readForm(form: HTMLFormElement, { word, given, fields }: OfferedAnswer): unknown {
  const filled: Record<string, unknown> = { ...given, kind: word };
  for (const [at, field] of fields.entries()) {
    const value = readField(form, field, idOf(at));
    if (value === undefined) continue;
    const isListed = field.kind === 'words' && field.isListed === true;
    filled[field.name] = isListed ? [filled[field.name] ?? [], value].flat() : value;
  }
  return filled;
}

/** undefined: it was left empty. */
function readField(form: HTMLFormElement, field: AnswerField, id: string): unknown {
  const values = new FormData(form).getAll(id).map(String);
  const [text = ''] = values;
  switch (field.kind) {
    case 'words': {
      const area = form.elements.namedItem(id);
      const isLeft = field.loads !== undefined && area instanceof HTMLTextAreaElement && text === area.defaultValue;
      return !field.isNeeded && (isLeft || text.trim() === '') ? undefined : text;
    }
    case 'lines':
      return text
        .split('\n')
        .map((one) => one.trim())
        .filter(Boolean);
    case 'tick':
      return values.length > 0;
    case 'amount':
      return Number(text);
    case 'one':
      return values[0];
    case 'some':
      return values;
    case 'comments':
      return undefined;
  }
}
