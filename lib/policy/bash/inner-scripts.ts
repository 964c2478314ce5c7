import { type ArithmeticExpression, forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';
import { dynamicTextRefusal, unknownTextMarks, type VariableValues } from './shell-command-types.ts';

/** The scripts and computations within a part of a command. */
export interface InnerScripts {
  /** `$(…)`, `<(…)` */
  readonly scripts: ParsedScript[];
  /** `$((…))` */
  readonly expressions: (ArithmeticExpression | undefined)[];
}

/** Finds them in parts of a command, however deep; lists of commands are walked separately. Throws a Refusal. */
export function findInnerScripts(nodes: readonly SyntaxNode[]): InnerScripts {
  const found: InnerScripts = { scripts: [], expressions: [] };
  const look = (node: SyntaxNode): void => {
    switch (node.type) {
      case 'CompoundList':
      case 'Statement':
        return;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        // The parser and bash differ on the text behind a backslash within backticks.
        if (node.script === undefined || !/^(?:[$<>]\(|`[^`\\]*`$)/.test(node.text))
          throw dynamicTextRefusal(node.text, 'is a substitution');
        found.scripts.push(node.script);
        return;
      case 'ArithmeticExpansion':
        found.expressions.push(node.expression);
        break;
      case 'Word':
        if (node.parts === undefined) refuseHeld(node.text);
        break;
      case 'Literal':
        refuseHeld(node.text);
        break;
      default:
    }
    forEachChild(node, look);
  };
  for (const node of nodes) look(node);
  return found;
}

/** Refuses substitutions in text that the parser took for plain. */
function refuseHeld(text: string): void {
  if (/(?<!\\)(?:\\\\)*(?:`|\$\()/.test(text)) throw dynamicTextRefusal(text, 'is a substitution');
}

/** The variables that an expression sets: to numbers. */
export function listVariablesSetByArithmetic(node: SyntaxNode | undefined): readonly string[] {
  if (node === undefined) return [];
  const names: string[] = [];
  const look = (one: SyntaxNode): void => {
    const isSet = one.type === 'ArithmeticBinary' && /^(?:[-+*/%&|^]|<<|>>)?=$/.test(one.operator);
    const isCounted = one.type === 'ArithmeticUnary' && /^(?:\+\+|--)$/.test(one.operator);
    const target = isSet ? one.left : isCounted ? one.operand : null;
    if (target?.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(target.value)) names.push(target.value);
    forEachChild(one, look);
  };
  look(node);
  return names;
}

const plainNumber = /^(?:\d{1,18}|0[xX][\da-fA-F]{1,15})$/;
const plainName = /^\$?(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
// Bash alone sets them, and always to a number.
const counters = /^\$(?:[?#$!]|\{#\w+(?:\[[@*]\])?\}|\{?(?:RANDOM|SECONDS|LINENO)\}?)$/;

/**
 * Refuses to compute with what is not certainly a number: bash evaluates the text of a variable as an expression again,
 * and runs what is in an index there. `printed`: what `$(…)` stands for.
 */
export function requireSafeArithmetic(
  expression: ArithmeticExpression | undefined,
  values: VariableValues,
  printed: (script: ParsedScript) => readonly string[],
): void {
  const check = (part: ArithmeticExpression | undefined): void => {
    switch (part?.type) {
      case 'ArithmeticBinary':
        check(part.left);
        check(part.right);
        return;
      case 'ArithmeticUnary':
        check(part.operand);
        return;
      case 'ArithmeticTernary':
        for (const one of [part.test, part.consequent, part.alternate]) check(one);
        return;
      case 'ArithmeticGroup':
        check(part.expression);
        return;
      case 'ArithmeticCommandExpansion':
        if (part.script !== undefined && printed(part.script).every(isCertainlyNumber)) return;
        throw computed(part.text);
      case 'ArithmeticWord': {
        if (plainNumber.test(part.value) || counters.test(part.value)) return;
        const [, bare, braced] = plainName.exec(part.value) ?? [];
        const known = values.get(bare ?? braced ?? '');
        if (known !== undefined && [...known].every(isCertainlyNumber)) return;
        throw computed(part.value);
      }
      default:
        throw computed('this');
    }
  };
  check(expression);
}

/** Whether a text is certainly a number. */
export function isCertainlyNumber(text: string): boolean {
  return text === unknownTextMarks.number || /^-?\d{1,18}$/.test(text);
}

function computed(what: string): ReturnType<typeof dynamicTextRefusal> {
  return dynamicTextRefusal(what, 'is no plain number, and bash may run what it computes with');
}
