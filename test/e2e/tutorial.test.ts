import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { elision, performDocument, updateDocument } from '../support/document.ts';
import { hasPseudoTerminal } from '../support/screen.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

const isFit = hasPseudoTerminal() && hasBubblewrap();

for (const file of ['TUTORIAL.md', 'README.md', 'docs/first-change.md']) {
  testIf(
    test,
    isFit,
    `script or bubblewrap is missing: the commands of ${file} are not run`,
  )(
    `${file}: its commands, in its order, show what it says (mend: FLAME_UPDATE=1 node build/test/run.js e2e/tutorial)`,
    async () => {
      const performed = await performDocument(file);
      assert.ok(performed.length > 5, 'the document was understood');
      if (process.env.FLAME_UPDATE === '1') updateDocument(file, performed);
      for (const { command, said, shown } of performed) {
        // Agents at work say their lines in any order.
        const [told, seen] = [said.map(even), shown.map(even)];
        const missing = told.filter((line) => line !== elision && !seen.includes(line));
        assert.equal(missing, [], `$ ${command}\n${shown.join('\n')}`);
        if (!told.includes(elision)) assert.equal(seen.sort(), told.sort(), `$ ${command}`);
      }
    },
  );
}

/** Columns are as wide as the longest path was, which depends on where temporary folders are. */
function even(line: string): string {
  return line.replace(/(?<=\S) {2,}/g, '  ');
}

test.run();
