import { useSignal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface SendFormProps {
  readonly label: string;
  readonly look: string;
  readonly isHidden?: boolean;
  /** Beside the button that sends it. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Resolves to what is wrong; '' once it counts. */
  send(form: HTMLFormElement): Promise<string>;
  cancel(): void;
}

/**
 * A form that begins with its first field in focus, that Ctrl+Enter sends and Escape leaves: it is sent as a whole, and
 * stays as it is where it is refused.
 */
export function SendForm({ label, look, isHidden = false, tools, children, ...on }: SendFormProps) {
  const problem = useSignal('');
  const isSending = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (!isHidden) form.current?.querySelector<HTMLElement>('textarea, input, button')?.focus();
  }, [isHidden]);
  const submit = async (sent: HTMLFormElement): Promise<void> => {
    isSending.value = true;
    problem.value = '';
    problem.value = await on.send(sent);
    isSending.value = false;
  };
  return (
    <form
      class="answer-form"
      ref={form}
      hidden={isHidden}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        on.cancel();
      }}
    >
      {children}
      <p class="problem text" role="alert" hidden={problem.value === ''}>
        {problem}
      </p>
      <div class="answer-tools">
        <button type="submit" class={`answer-send ${look}`} disabled={isSending.value}>
          {label}
        </button>
        {tools}
      </div>
    </form>
  );
}

/** A button that does something where it is, without sending a form. */
export function Button({ label, ...rest }: ButtonHTMLAttributes & { readonly label: ComponentChildren }) {
  return (
    <button type="button" {...rest}>
      {label}
    </button>
  );
}
