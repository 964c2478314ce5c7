import type { AgentPolicy } from '../../domain/policy.ts';
import { unreachable } from '../../util/unreachable.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { matchingPattern } from './allowed-words.ts';
import { type BashQuestion, contextAt, type Question } from './bash-question.ts';
import { expandWord } from './expand-arguments.ts';
import { parted, refuseTexts, withPiped } from './given-lines.ts';
import { judgeCommand, judgeRedirections } from './judge-command.ts';
import { mayMakeNames } from './made-names.ts';
import { mayMoveRevisions } from './moved-revisions.ts';
import { linesOf } from './outputs.ts';
import { flat, inFolder, type Places, placeAfter, union } from './places.ts';
import { judgeAll } from './program.ts';
import { readBash } from './read-bash.ts';
import { Refusal } from './refusal.ts';
import { settle, settleRedirections } from './settle.ts';
import { type BashNode, currentFolder, type Redirection, ranIn, type SimpleCommand } from './syntax.ts';
import { openWork } from './work.ts';

/** Judges a command of the Bash tool by its parse; null: nothing against it. */
export function judgeBash(question: BashQuestion): Objection | null {
  const { policy, command } = question;
  const tree = readBash(command);
  if ('rule' in tree) return tree;
  const exact = policy.exact_commands.some((one) => one.trim() === command.trim());
  if (exact) return recordedOnly;
  const pattern = matchingPattern(policy, command);
  if (pattern !== undefined) {
    return objection(
      'bash-pattern',
      `The command matches the blocked pattern ${pattern}. Do it in another way, or leave it to a person.`,
    );
  }
  if (policy.allowed_commands.length === 0 && (policy.base_commands ?? []).length === 0)
    return onlyExact(policy);
  try {
    const found = { makesNames: mayMakeNames(tree), movesRevisions: mayMoveRevisions(tree) };
    judgeWhole(
      { ...question, ...found, work: openWork(), known: new Map(), visited: new Set<string>() },
      tree,
    );
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.objection;
    throw error;
  }
}

// Whoever answers the agent shows it the recorded run, where there is one.
const recordedOnly = objection(
  'recorded-only',
  'It is not run here: the orchestrator runs it in a cell of its own, and no result of that is at hand. Judge by what you read.',
);

function onlyExact(policy: AgentPolicy): Objection {
  const list = listSome(policy.exact_commands, 20);
  return objection(
    'diagnostics-only',
    `Only the results of these commands can be asked for, exactly as written: ${list}. Read files with the Read, Glob and Grep tools.`,
  );
}

const mostPlaces = 8;

/** What comes first finds the folders as they are: a `cd` into one that is there does not fail. */
function judgeWhole(question: Question, tree: BashNode): void {
  const [first, ...others] = tree.kind === 'list' ? tree.nodes : [];
  const isGoing = first?.kind === 'command' && first.words[0]?.text === 'cd' && first.words.length === 2;
  if (!isGoing) {
    judgeNode(question, tree, [question.cwd]);
    return;
  }
  const { passed, failed } = judgeNode(question, first, [question.cwd]);
  const isThere = passed.every((place) => question.facts.lstat(place)?.kind === 'directory');
  judgeList(question, others, isThere ? passed : union(passed, failed));
}

/** Judges a node in every folder it may start in. Throws a Refusal at the first objection. */
function judgeNode(question: Question, node: BashNode, places: readonly string[]): Places {
  if (places.length > mostPlaces)
    throw new Refusal('bash-directory', 'Too many changes of folder. Use one `cd` at the start.');
  if ('redirections' in node && node.kind !== 'command')
    refuseRedirections(question, node.redirections, places);
  const unchanged = { passed: places, failed: places };
  switch (node.kind) {
    case 'command':
      return judgeSimple(question, node, places);
    case 'pipeline':
      return judgePipeline(question, node, places);
    case 'and-or':
      return judgeChain(question, node, places);
    case 'list':
      return judgeList(question, node.nodes, places);
    case 'subshell':
      judgeNode(question, node.body, places);
      return unchanged;
    case 'group':
      return judgeNode(question, node.body, places);
    case 'if': {
      // Any part may or may not have run before the next.
      const all = node.parts.reduce((at, part) => union(at, flat(judgeNode(question, part, at))), places);
      return { passed: all, failed: all };
    }
    case 'test':
      for (const cwd of places) judgeTest(question, node, cwd);
      return unchanged;
    case 'names':
      for (const cwd of places) judgeNames(question, node, cwd);
      return unchanged;
    case 'number':
      for (const cwd of places) {
        for (const inner of node.runs) judgeNode(question, inner, [cwd]);
        refuseTexts(question, node.numbers, cwd);
      }
      return unchanged;
    case 'given':
      judgeGiven(question, node.nodes, places);
      return unchanged;
    case 'while':
      judgeWhile(question, node, places);
      return unchanged;
    case 'for':
      judgeFor(question, node, places);
      return unchanged;
    default:
      return unreachable(node);
  }
}

type NodeOf<Kind extends BashNode['kind']> = Extract<BashNode, { readonly kind: Kind }>;

function judgePipeline(question: Question, node: NodeOf<'pipeline'>, places: readonly string[]): Places {
  const [only, ...others] = node.nodes;
  const unchanged = { passed: places, failed: places };
  if (others.length > 0) {
    // Each part runs in a process of its own.
    for (const [at, part] of node.nodes.entries())
      judgeNode(at === 0 ? question : withPiped(question, node.nodes.slice(0, at), places), part, places);
    return unchanged;
  }
  const ends = only === undefined ? unchanged : judgeNode(question, only, places);
  return node.negated ? { passed: ends.failed, failed: ends.passed } : ends;
}

function judgeTest(question: Question, node: NodeOf<'test'>, cwd: string): void {
  const found = judgeAll(
    contextAt(question, cwd),
    node.files.map((path) => ({ path: path.replaceAll(currentFolder, cwd), access: 'read' })),
  );
  if (found !== null) throw Refusal.of(found);
  for (const inner of node.inner) judgeNode(question, inner, [cwd]);
  refuseTexts(question, node.numbers, cwd);
}

function judgeNames(question: Question, { pattern }: NodeOf<'names'>, cwd: string): void {
  const text = pattern.text.replaceAll(currentFolder, cwd);
  const names = expandWord(contextAt(question, cwd), { ...pattern, text }, true);
  if ('rule' in names) throw new Refusal(names.rule, names.details);
}

function judgeWhile(question: Question, node: NodeOf<'while'>, places: readonly string[]): void {
  if (node.from !== null) judgeGiven(question, [node.from], places);
  const isFile = node.redirections.some(({ access }) => access === 'read');
  const lines = node.from === null ? question.lines : question.known.get(node.from);
  question.known.set(node.lines, isFile ? null : (lines ?? null));
  judgeRounds({ ...question, piped: null, lines: null }, [node.body, node.body], places);
}

function judgeFor(question: Question, node: NodeOf<'for'>, places: readonly string[]): void {
  judgeGiven(question, node.given, places);
  for (const given of node.given)
    if (given.kind !== 'names' && given.kind !== 'number')
      question.known.set(given, question.makesNames ? null : parted(question.known.get(given)));
  judgeRounds(question, node.bodies, places);
}

function judgeList(question: Question, nodes: readonly BashNode[], places: readonly string[]): Places {
  let ends: Places = { passed: places, failed: places };
  for (const node of nodes) ends = judgeNode(question, node, flat(ends));
  return ends;
}

/** Each round starts where the loop does, however many there are. */
function judgeRounds(question: Question, bodies: readonly BashNode[], places: readonly string[]): void {
  for (const body of bodies) {
    if (flat(judgeNode(question, body, places)).some((place) => !places.includes(place)))
      throw new Refusal('bash-directory', 'Change the folder inside a loop in brackets: (cd FOLDER && …).');
  }
}

function judgeChain(question: Question, chain: NodeOf<'and-or'>, places: readonly string[]): Places {
  const [first, ...others] = chain.nodes;
  let ends: Places =
    first === undefined ? { passed: places, failed: places } : judgeNode(question, first, places);
  for (const [at, node] of others.entries()) {
    const isAnd = chain.operators[at] === '&&';
    const next = judgeNode(question, node, isAnd ? ends.passed : ends.failed);
    ends = isAnd
      ? { passed: next.passed, failed: union(ends.failed, next.failed) }
      : { passed: union(ends.passed, next.passed), failed: next.failed };
  }
  return ends;
}

const movers = new Set(['cd', 'pushd', 'popd']);

function judgeSimple(question: Question, command: SimpleCommand, places: readonly string[]): Places {
  for (const cwd of places) {
    question.work.spend(costOf(command));
    for (const inner of command.inner) judgeNode(question, inner, [cwd]);
    const context = contextAt(question, cwd);
    const redirections = settleRedirections(context, command.redirections, question.known);
    for (const one of settle(context, { ...command, redirections }, question.known)) {
      if (one.words !== command.words) question.work.spend(10);
      const found = judgeCommand(context, inFolder(one, cwd));
      if (found !== null) throw Refusal.of(found);
    }
  }
  const [name, folder] = command.words;
  if (!movers.has(name?.text ?? '')) return { passed: places, failed: places };
  const isBack = name?.text === 'popd' ? command.words.length === 1 : folder?.text === '-';
  if (isBack && question.visited.size > 0) return { passed: [...question.visited], failed: places };
  const reached = places.flatMap((cwd) =>
    settle(contextAt(question, cwd), command, question.known).map((one) => placeAfter(question, one, cwd)),
  );
  for (const place of [...places, ...reached]) question.visited.add(place);
  return { passed: [...new Set(reached)], failed: places };
}

/** A wildcard is looked up, and compared with all that is blocked. */
function costOf({ words, redirections }: SimpleCommand): number {
  return words.reduce((sum, word) => sum + (word.isGlob ? 10 : 1), 1 + redirections.length);
}

/** Commands whose output is used later run here; what they print depends on where. */
function judgeGiven(question: Question, nodes: readonly BashNode[], places: readonly string[]): void {
  for (const node of nodes) {
    const all = places.map((cwd) => {
      judgeNode(question, node, [cwd]);
      const context = contextAt(question, cwd);
      return linesOf(context, node, (command) => settle(context, command, question.known));
    });
    question.known.set(node, all.some((one) => one === null) ? null : all.flatMap((one) => one ?? []));
  }
}

function refuseRedirections(
  question: Question,
  redirections: readonly Redirection[],
  places: readonly string[],
): void {
  for (const inner of redirections.flatMap(ranIn)) judgeNode(question, inner, places);
  for (const cwd of places) {
    const context = contextAt(question, cwd);
    const settled = settleRedirections(context, redirections, question.known);
    const here = settled.map((one) => ({ ...one, target: one.target.replaceAll(currentFolder, cwd) }));
    const found = judgeRedirections(context, here);
    if (found !== null) throw Refusal.of(found);
  }
}
