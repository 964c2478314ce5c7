// An agent's own programs can repeat a refused request as often as they like.
const mostRefused = 20_000;

/** Logs every request that left, and of those that were refused as many as anybody would read. */
export function cappedEgress<Line extends { readonly refused: string | null }>(
  log: (line: Line) => void,
): (line: Line) => void {
  let refused = 0;
  return (line) => {
    if (line.refused !== null) refused += 1;
    if (line.refused === null || refused < mostRefused) log(line);
    else if (refused === mostRefused)
      log({ ...line, refused: `${line.refused}; no more of these are logged` });
  };
}
