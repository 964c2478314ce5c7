import type {
  ArithmeticFor,
  For,
  ParsedScript,
  Redirection as RawRedirection,
  Redirect,
  Statement,
  While,
} from 'unbash';
import { readArithmetic } from './arithmetic.ts';
import { readRedirections } from './read-redirections.ts';
import { asGiven } from './read-values.ts';
import { readWords } from './read-word.ts';
import { Refusal } from './refusal.ts';
import { type BashNode, outputMark, type Redirection, ranIn, type Scope, type Word } from './syntax.ts';
import { assignedIn, isFreeName } from './variables.ts';

const mostRounds = 200;
// Characters, all rounds together.
const mostLooped = 40_000;

type ReadList = (statements: readonly Statement[], scope: Scope) => BashNode;
type Given = Pick<Extract<BashNode, { kind: 'for' }>, 'bodies' | 'given'>;

/** A loop over words and wildcards. Its variable is a short, small name, so that no program knows it as a setting. */
export function readLoop(node: For, scope: Scope, readList: ReadList): Given {
  const name = node.name.text;
  if (!/^[a-z]{1,10}\d?$/.test(name) || scope.values.has(name) || node.wordlist === undefined) {
    throw new Refusal(
      'bash-construct',
      'Write a loop as: for f in WORDS; do …; done, each with its own short name.',
    );
  }
  const words = node.wordlist.flatMap((word) => readWords(word, scope)).map(asNames);
  const values = words.map(asGiven);
  const rounds = values.length * scope.rounds;
  const isLong = values.length * (node.body.end - node.body.pos) > mostLooped;
  const isHidden = values.some(({ unknown, fed }) => unknown === 'status' || fed !== undefined);
  if (isHidden || rounds > mostRounds || isLong)
    throw new Refusal('bash-construct', 'The loop has too many rounds, or words that only bash knows.');
  return {
    bodies: values.map((value) =>
      readList(node.body.commands, { ...scope, values: new Map([...scope.values, [name, value]]), rounds }),
    ),
    given: words.flatMap(ranIn),
  };
}

/** A wildcard stands for the files it finds, one after the other. */
function asNames(word: Word): Word {
  if (!word.isGlob) return word;
  const { isGlob: _, ...plain } = word;
  const outputs = [{ node: { kind: 'names' as const, pattern: word } }];
  return { ...plain, isGlob: false, text: outputMark, unknown: 'output', outputs };
}

/** Any other loop: what it asks and what it does, more than once. */
function readRepeated(node: While, scope: Scope, readList: ReadList): Given {
  return repeated([...node.clause.commands, ...node.body.commands], scope, readList);
}

/** `for ((i = 0; i < 3; i++))` */
export function readCounting(node: ArithmeticFor, scope: Scope, readList: ReadList): Given {
  const steps = [node.initialize, node.test, node.update].filter((one) => one !== undefined);
  const counts = steps.map((one) => readArithmetic(one, scope));
  const { bodies } = repeated(node.body.commands, scope, readList);
  return { bodies, given: counts };
}

function repeated(statements: readonly Statement[], scope: Scope, readList: ReadList): Given {
  const values = new Map(scope.values);
  for (const name of assignedIn(statements)) values.delete(name);
  const body = readList(statements, { ...scope, values });
  return { bodies: [body, body], given: [] };
}

/** The lines a `while read` goes through come from a pipe, a file or a command in `< <(…)`. */
export function readFed(
  node: While,
  redirects: readonly RawRedirection[],
  scope: Scope,
  readList: ReadList,
): BashNode {
  const feeds = redirects.flatMap((one) =>
    one.type === 'Redirect' && one.operator === '<' ? feedOf(one) : [],
  );
  const others = redirects.filter((one) => one.type !== 'Redirect' || feedOf(one).length === 0);
  const [script] = feeds;
  const from = script === undefined ? null : scope.readScript(script, scope);
  return readWhile(node, scope, { redirections: readRedirections(others, scope), from, readList });
}

function feedOf({ target }: Redirect): readonly ParsedScript[] {
  const [only, ...more] = target?.parts ?? [];
  return only?.type === 'ProcessSubstitution' &&
    only.operator === '<' &&
    more.length === 0 &&
    only.script !== undefined
    ? [only.script]
    : [];
}

interface Feeding {
  readonly redirections: readonly Redirection[];
  /** Where its lines come from; null: a pipe, a file or nowhere. */
  readonly from: BashNode | null;
  readonly readList: ReadList;
}

/** `while read`, or any other loop that continues until something fails. */
export function readWhile(node: While, scope: Scope, { readList, redirections, from }: Feeding): BashNode {
  const names = namesRead(node);
  if (names === null && from === null && !readsLines(node.clause))
    return { kind: 'for', ...readRepeated(node, scope, readList), redirections };
  if (names === null || names.some((name) => !isFreeName(name)))
    throw new Refusal(
      'bash-construct',
      'Of loops that read lines one form can be judged: while read -r f; do …; done.',
    );
  const lines: BashNode = { kind: 'list', nodes: [] };
  const value = (name: string): readonly [string, Word] => [
    name,
    {
      text: outputMark,
      isGlob: false,
      isPlain: false,
      unknown: 'output',
      outputs: [{ node: names.length > 1 ? { kind: 'list', nodes: [] } : lines, isGiven: true }],
    },
  ];
  const inside = new Map([...scope.values, ...names.map(value)]);
  for (const name of assignedIn(node.body)) inside.delete(name);
  return {
    kind: 'while',
    body: readList(node.body.commands, { ...scope, values: inside }),
    lines,
    from,
    redirections,
  };
}

function readsLines(clause: While['clause']): boolean {
  return JSON.stringify(clause).includes('"text":"read"');
}

/** The variables of `while IFS= read -r f`; null: another loop. */
function namesRead({ kind, clause }: While): readonly string[] | null {
  const [statement, ...others] = clause.commands;
  const command = statement?.command;
  if (kind !== 'while' || others.length > 0 || statement?.background === true || command?.type !== 'Command')
    return null;
  const isPlain = command.prefix.every((part) => part.type === 'Assignment' && part.name === 'IFS');
  const words = command.suffix.map((part) =>
    part.type === 'Word' && part.parts === undefined ? part.text : '-',
  );
  const names = words.filter((word, at) => !(at === 0 && word === '-r'));
  return command.name?.text === 'read' && isPlain && names.length > 0 ? names : null;
}
