import * as assert from 'uvu/assert';
import { provenFile, readProvenVersions } from '../../lib/commands/doctor/examine-programs.ts';
import { updateRow } from '../support/proven-table.ts';

export interface Proof {
  /** Notes what was shown; `version 1.2.3` is that of the program. */
  proves(...what: readonly string[]): void;
  /** Counts a test, and whether it came to its end. */
  count(check: () => Promise<void>): Promise<void>;
  keep(): void;
}

/**
 * Gathers what the tests of a CLI have shown. `keep` holds it against that CLI's row of the table that `git flame
 * doctor` reads; with FLAME_UPDATE=1 it writes the row. So a row says what ran, and nothing else.
 */
export function openProof(name: string, weaker: readonly string[]): Proof {
  const shown = new Set<string>();
  let version = '';
  let unfinished = 0;
  return {
    async count(check) {
      unfinished += 1;
      await check();
      unfinished -= 1;
    },
    proves(...what) {
      for (const one of what) {
        if (one.startsWith('version ')) version = one.slice('version '.length);
        else shown.add(one);
      }
    },
    keep() {
      assert.is(unfinished, 0, 'Tests before this one failed.');
      const row = { version, date: new Date().toISOString().slice(0, 10), proven: [...shown], weaker };
      if (process.env.FLAME_UPDATE === '1') updateRow(name, row);
      const kept = readProvenVersions().get(name);
      assert.equal([kept?.version, kept?.proven], [row.version, row.proven], describe(name, row));
    },
  };
}

function describe(name: string, { proven }: { readonly proven: readonly string[] }): string {
  return `The row of ${name} in ${provenFile} is not what was shown; FLAME_UPDATE=1 writes it:\n${proven.join('\n')}`;
}
