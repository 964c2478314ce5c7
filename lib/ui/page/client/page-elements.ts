/** What a tab's title begins with while something waits for the person. */
export const waitsInTitle = '● waits for you';

/** An element of the page that must be there. */
export function requireElementById<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`#${id} is missing`);
}

/** A new element with text and children; never markup. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

/** The nearest element around a node that fits. */
export function closestElement(node: EventTarget | null, selector: string): HTMLElement | null {
  const found = node instanceof Element ? node.closest(selector) : null;
  return found instanceof HTMLElement ? found : null;
}

/** A button that does something where it is. */
export function createButton(label: string, act: () => void): HTMLButtonElement {
  const button = createElement('button', '', label);
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}

/** Each `.copy` copies the text before it. */
export function wireCopyButtons(): void {
  document.addEventListener('click', ({ target }) => {
    const button = closestElement(target, '.copy');
    if (button !== null) void copyTextBefore(button);
  });
}

/** Where the browser keeps its clipboard to itself, the text is marked, to be copied by key. */
async function copyTextBefore(button: HTMLElement): Promise<void> {
  const text = button.previousElementSibling;
  try {
    await navigator.clipboard.writeText(text?.textContent ?? '');
    if (button.firstChild !== null) button.firstChild.textContent = 'Copied ';
  } catch {
    if (text !== null) getSelection()?.selectAllChildren(text);
  }
}

const themes = ['auto', 'dark', 'light'] as const;
export type Theme = (typeof themes)[number];

/** The theme that the button for it chooses next. */
export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';
}

/** Calls it once the tab is idle, or within a second where a busy machine never leaves it idle. */
export function whenIdle(work: () => void): void {
  requestIdleCallback(work, { timeout: 1_000 });
}
