import type { ComponentChildren } from 'preact';

interface Named {
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Text of others, which may be read from the right. */
export function Text({ class: name = '', children }: Named) {
  return (
    <span class={name} dir="auto">
      {children}
    </span>
  );
}

/** A text of several lines. */
export function Block({ class: name = '', children }: Named) {
  return (
    <p class={`text ${name}`} dir="auto">
      {children}
    </p>
  );
}

/** A list of such texts. */
export function Texts({ of, class: name = '' }: { readonly of: readonly string[]; readonly class?: string }) {
  if (of.length === 0) return null;
  return (
    <ul class={name}>
      {of.map((text) => (
        <li>
          <Text>{text}</Text>
        </li>
      ))}
    </ul>
  );
}

/** Something folded, opened by its summary. */
export function Fold({ class: name = '', summary, children }: Named & { readonly summary: string }) {
  return (
    <details class={name}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
