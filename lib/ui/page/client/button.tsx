import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

/** A button that does something where it is, without sending a form. */
export function Button({ label, ...rest }: ButtonHTMLAttributes & { readonly label: ComponentChildren }) {
  return (
    <button type="button" {...rest}>
      {label}
    </button>
  );
}
