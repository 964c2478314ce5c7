// Blanks, control characters, and what Unicode says to leave out when it can't be shown; the empty Braille cell too.
const unseen = /[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a text holds anything that can be seen. */
export function saysSomething(text: string): boolean {
  return text.replace(unseen, '') !== '';
}
