/** A text without the lines that stand in what was said before: the same sentence is read once. '' where all of it was. */
export function unsaid(text: string, before: readonly (string | null)[]): string {
  const lines = text.split('\n').filter((line) => {
    const said = line.trim();
    return said !== '' && !before.some((one) => one?.includes(said) === true);
  });
  return lines.join('\n');
}
