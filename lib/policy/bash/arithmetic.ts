import type { ArithmeticExpression } from 'unbash';
import { Refusal } from './refusal.ts';
import type { BashNode, Scope } from './syntax.ts';

const plainNumber = /^(?:\d{1,18}|0[xX][\da-fA-F]{1,15})$/;
const plainName = /^\$?(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
// Bash alone sets them, and always to a number.
const counters = /^\$(?:[?#$]|\{#\w+\}|\{?(?:RANDOM|SECONDS|LINENO)\}?)$/;

/**
 * Reads `$((…))` where all it computes with is a number: bash evaluates the text of a variable as an
 * expression again, and runs what is in an index there.
 */
export function readArithmetic(expression: ArithmeticExpression | undefined, scope: Scope): BashNode {
  const runs: BashNode[] = [];
  const numbers: BashNode[] = [];
  if (expression === undefined) throw refused('this');
  readPart(expression, { scope, runs, numbers });
  return { kind: 'number', runs, numbers };
}

interface Reading {
  readonly scope: Scope;
  readonly runs: BashNode[];
  readonly numbers: BashNode[];
}

function readPart(part: ArithmeticExpression, reading: Reading): void {
  switch (part.type) {
    case 'ArithmeticBinary':
      if (isAssignment(part.operator)) requireCounter(part.left, reading.scope);
      else readPart(part.left, reading);
      readPart(part.right, reading);
      return;
    case 'ArithmeticUnary':
      if (/^(?:\+\+|--)$/.test(part.operator)) requireCounter(part.operand, reading.scope);
      else readPart(part.operand, reading);
      return;
    case 'ArithmeticTernary':
      for (const one of [part.test, part.consequent, part.alternate]) readPart(one, reading);
      return;
    case 'ArithmeticGroup':
      readPart(part.expression, reading);
      return;
    case 'ArithmeticCommandExpansion': {
      if (part.script === undefined || !part.text.startsWith('$(')) break;
      const node = reading.scope.readScript(part.script, reading.scope);
      reading.runs.push(node);
      reading.numbers.push(node);
      return;
    }
    case 'ArithmeticWord':
      readWord(part.value, reading);
      return;
    default:
  }
  throw refused('this');
}

function readWord(text: string, { scope, numbers }: Reading): void {
  if (plainNumber.test(text) || counters.test(text)) return;
  const [, bare, braced] = plainName.exec(text) ?? [];
  const name = bare ?? braced;
  if (name === undefined) throw refused(text);
  const value = scope.values.get(name);
  if (value === undefined && scope.numbers.has(name)) return;
  if (value?.unknown === null && plainNumber.test(value.text)) return;
  const [output, ...others] = value?.outputs ?? [];
  const isWhole = others.length === 0 && output?.change === undefined && value?.text.length === 1;
  if (output?.node === undefined || !isWhole) throw refused(text);
  numbers.push(output.node);
}

function requireCounter(part: ArithmeticExpression, { numbers }: Scope): void {
  if (part.type !== 'ArithmeticWord' || !numbers.has(part.value)) throw refused('an assignment');
}

/** Whether an operator changes what stands before it. */
export function isAssignment(operator: string): boolean {
  return /^(?:[-+*/%&|^]|<<|>>)?=$/.test(operator);
}

function refused(what: string): Refusal {
  return new Refusal(
    'bash-dynamic',
    `Computing with ${what} can't be judged: bash may run what it holds. Compute with plain numbers, and with variables that hold nothing else.`,
  );
}
