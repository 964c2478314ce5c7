import type { Assignment, Command, Function as RawFunction, Statement } from 'unbash';
import { readWord } from './read-word.ts';
import { Refusal } from './refusal.ts';
import { type BashNode, ranIn, type Scope, type Word } from './syntax.ts';
import { assignedIn, isFreeName } from './variables.ts';

/** Of the list that is read: what it assigns is added as it goes. */
export type OpenScope = Scope & {
  readonly values: Map<string, Word>;
  readonly functions: Map<string, RawFunction>;
  /** It runs whatever happens, so that a function of it is there afterwards. */
  readonly mayDefine: boolean;
};

/** `NAME=value` alone: what later words hold. */
export function readValues(node: Statement['command'], scope: OpenScope): BashNode | null {
  if (node.type !== 'Command' || node.name !== undefined || node.suffix.length > 0) return null;
  const assignments = node.prefix.flatMap((part) => (part.type === 'Assignment' ? [part] : []));
  if (assignments.length === 0 || assignments.length < node.prefix.length) return null;
  const given = assignments.map((part) => readValue(part, scope));
  return { kind: 'given', nodes: given.flat() };
}

function readValue(part: Assignment, scope: OpenScope): readonly BashNode[] {
  if (
    part.value.type !== 'Word' ||
    part.index !== undefined ||
    part.append === true ||
    !isFreeName(part.name)
  )
    throw new Refusal(
      'bash-environment',
      `${part.name} is no variable a command may set for later ones. Write the value where it is used, or choose a plain name like n or FILE.`,
    );
  const word = readWord(part.value, scope);
  if (word.isGlob || word.fed !== undefined || (word.unknown === 'status' && word.text !== '0'))
    throw new Refusal('bash-dynamic', `${part.text} holds more than plain text. Write the words out.`);
  const given = asGiven(word);
  scope.values.set(part.name, given);
  return ranIn(word);
}

/** The word as the value of a variable: what it is taken from ran before. */
export function asGiven(word: Word): Word {
  const { isSplit: _, outputs, ...rest } = word;
  return {
    ...rest,
    isPlain: false,
    ...(outputs !== undefined && { outputs: outputs.map((one) => ({ ...one, isGiven: true })) }),
  };
}

/** A function is judged where it is called, by its body. */
export function readFunction(node: RawFunction, scope: OpenScope): readonly BashNode[] {
  const name = node.name.text;
  // No program has such a name: `time ls` would run a function called ls.
  if (
    !/^(?:[a-z]|[a-z]+(?:_[a-z0-9]+)+|run|check|show|main|count|section|header|title|verify|report|helper|measure|compare|dump|peek|step|summary|try|ok|fail|usage|cleanup)$/.test(
      name,
    ) ||
    node.name.parts !== undefined ||
    assignedIn(node.body).size > 0
  )
    throw new Refusal('bash-construct', 'A function needs a plain name, and sets no variables here.');
  scope.functions.set(name, node);
  return [{ kind: 'given', nodes: [] }];
}

/** What a call runs, its arguments in place; null: no function of that name. */
export function readCall(
  node: Command,
  scope: Scope,
  readBody: (body: RawFunction['body'], scope: Scope) => BashNode,
): BashNode | null {
  const name = node.name?.parts === undefined ? node.name?.text : undefined;
  const called = name === undefined ? undefined : scope.functions.get(name);
  if (name === undefined || called === undefined) return null;
  const words = node.suffix.map((part) => (part.type === 'Word' ? readWord(part, scope) : null));
  const isPlain = (word: Word | null): boolean =>
    word !== null && !word.isGlob && word.unknown === null && word.fed === undefined;
  if (node.prefix.length > 0 || !words.every(isPlain))
    throw new Refusal('bash-construct', `Call ${name} with plain words, or run its commands themselves.`);
  const values = new Map([...scope.values].filter(([one]) => !/^\d$/.test(one)));
  for (const [at, word] of words.slice(0, 9).entries()) if (word !== null) values.set(`${at + 1}`, word);
  const functions = new Map([...scope.functions].filter(([one]) => one !== name));
  scope.work.spend(20);
  return readBody(called.body, { ...scope, values, functions });
}
