import type { PathFacts } from '../domain/policy.ts';
import { tooComplex } from './bash/parse-script.ts';

// The kernel is asked 20,000 times where a folder of that many files is judged; that takes a tenth of a second.
const mostAsked = 50_000;
// Where it was asked before, the answer costs a twentieth of that.
const mostRepeated = 1_000_000;
// Each starts a process. What is asked beyond that stays unknown.
const mostQuestions = 20;

/**
 * The file system and the repository as one judgement sees them: asked once about each path, and so often and no more.
 * It lasts as long as the judgement; the next one asks again. Throws a Refusal where a call would need more.
 */
export function rememberedFacts(facts: PathFacts): PathFacts {
  let asked = 0;
  let repeated = 0;
  const remember = <T>(ask: (path: string) => T): ((path: string) => T) => {
    const known = new Map<string, { readonly answer: T }>();
    return (path) => {
      const before = known.get(path);
      if (before === undefined) asked += 1;
      else repeated += 1;
      if (asked > mostAsked || repeated > mostRepeated) throw tooComplex();
      if (before !== undefined) return before.answer;
      const answer = ask(path);
      known.set(path, { answer });
      return answer;
    };
  };
  const kinds = new Map<string, string | null>();
  const kindOf = (id: string, cwd: string): string | null => {
    const known = kinds.get(id);
    if (known !== undefined) return known;
    const kind = kinds.size < mostQuestions ? facts.kindOf(id, cwd) : null;
    kinds.set(id, kind);
    return kind;
  };
  return { lstat: remember((path) => facts.lstat(path)), list: remember((path) => facts.list(path)), kindOf };
}
