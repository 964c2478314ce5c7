import type { TestExpression } from 'unbash';
import { isNumeric } from './inner-scripts.ts';
import { Refusal } from './refusal.ts';
import { placesOf, type Shell, type Walk } from './walk-state.ts';
import { readWord } from './words.ts';

/** Goes through `[[ … ]]`: reports the files it asks for, and requires numbers in its sums. Throws a Refusal. */
export function walkTest(walk: Walk, shell: Shell, test: TestExpression): void {
  switch (test.type) {
    case 'TestLogical':
      for (const one of test.operands) walkTest(walk, shell, one);
      return;
    case 'TestNot':
      walkTest(walk, shell, test.operand);
      return;
    case 'TestGroup':
      walkTest(walk, shell, test.expression);
      return;
    case 'TestUnary': {
      const word = readWord(test.operand, walk.values);
      if (/^-[vR]$/.test(test.operator)) throw indexed();
      if (/^-[nzto]$/.test(test.operator)) return;
      for (const place of placesOf(shell)) walk.visitor?.files([word], place);
      return;
    }
    default: {
      const words = [test.left, test.right].map((one) => readWord(one, walk.values));
      const isComputed = /^-(?:eq|ne|lt|le|gt|ge)$/.test(test.operator);
      if (isComputed && walk.visitor !== null && !words.every(({ values }) => values.every(isNumeric)))
        throw indexed();
    }
  }
}

function indexed(): Refusal {
  return new Refusal(
    'bash-construct',
    'Bash runs what is in an index there. Ask for files by name, or compare with [ … -gt … ].',
  );
}
