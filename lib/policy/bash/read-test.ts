import type { Word as RawWord, TestExpression } from 'unbash';
import { Refusal } from './refusal.ts';
import { type BashNode, outputMark, ranIn, type Word } from './syntax.ts';

type ReadWord = (raw: RawWord) => Word;

/** Reads `[[ … ]]` where it asks for files and compares texts. What it computes with could run commands. */
export function readTest(expression: TestExpression, read: ReadWord): BashNode {
  const inner: BashNode[] = [];
  const numbers: BashNode[] = [];
  const readOne = (raw: RawWord): Word => {
    const word = read(raw);
    inner.push(...ranIn(word));
    return word;
  };
  const files = filesOf(expression, readOne, numbers);
  return { kind: 'test', files, inner, numbers };
}

/** The files it asks for. */
function filesOf(expression: TestExpression, read: ReadWord, numbers: BashNode[]): readonly string[] {
  switch (expression.type) {
    case 'TestLogical':
      return expression.operands.flatMap((one) => filesOf(one, read, numbers));
    case 'TestNot':
      return filesOf(expression.operand, read, numbers);
    case 'TestGroup':
      return filesOf(expression.expression, read, numbers);
    case 'TestUnary': {
      const word = read(expression.operand);
      if (/^-[nz]$/.test(expression.operator)) return [];
      if (
        /^-[abcdefghkprstuwxGLNOS]$/.test(expression.operator) &&
        isKnown(word) &&
        expression.operator !== '-t'
      )
        return [word.text];
      throw refused(expression.operator);
    }
    case 'TestBinary': {
      const words = [read(expression.left), read(expression.right)];
      if (/^(?:==?|!=)$/.test(expression.operator)) return [];
      const isNumbers = words.every(
        (word) => isOutput(word) || (/^\d{1,9}$/.test(word.text) && (word.unknown ?? 'status') === 'status'),
      );
      numbers.push(...words.flatMap(({ outputs = [] }) => outputs.flatMap(({ node }) => node ?? [])));
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) && isNumbers) return [];
      throw refused(expression.operator);
    }
    default:
      throw refused('this');
  }
}

/** A command's output and nothing else; what a variable of the environment holds could be an expression. */
function isOutput({ text, outputs = [] }: Word): boolean {
  return (
    text === outputMark && outputs.every(({ node, change }) => node !== undefined && change === undefined)
  );
}

function isKnown(word: Word): boolean {
  return word.unknown === null && !word.isGlob && word.text !== '';
}

function refused(what: string): Refusal {
  return new Refusal(
    'bash-construct',
    `[[ with ${what} can't be judged. Ask for files by name, or compare plain texts and numbers.`,
  );
}
