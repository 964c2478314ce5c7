import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { benchGraphs } from './bench-graphs.ts';
import { benchHistory } from './bench-history.ts';
import { benchMachines } from './bench-machines.ts';
import { benchReviewPage } from './bench-review-page.ts';
import { benchStatus } from './bench-status.ts';
import { benchVersion } from './bench-version.ts';
import { benchWatcher } from './bench-watcher.ts';
import type { BenchRow } from './figures.ts';
import { renderTable, withTable } from './render-table.ts';
import { benchStateChange } from './state-change.ts';

// node build/test/bench/run.js [version|status|state|history|machines|graphs|watcher|review]... [--write]
// Needs bash 5; everything happens in temporary folders.

const benches: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  version: benchVersion,
  status: benchStatus,
  state: benchStateChange,
  history: benchHistory,
  machines: benchMachines,
  graphs: benchGraphs,
  watcher: benchWatcher,
  review: benchReviewPage,
};

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.filter((name) => benches[name] === undefined);
if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}.`);

// What others make the machine do shows in every figure.
const [loadBefore = 0] = loadavg();
const rows: BenchRow[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`measuring ${name} ...\n`);
  rows.push(...(await bench()));
}
const table = renderTable(machineLine(), rows);
process.stdout.write(table);
if (args.includes('--write')) {
  const page = join(packageRoot(), 'BENCHMARKS.md');
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), table));
}

function machineLine(): string {
  const git = execFileSync('git', ['version'], { encoding: 'utf8' }).trim().replace('git version', 'git');
  return `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), node ${process.version.slice(1)}, ${git}. Load of the machine before: ${loadBefore.toFixed(1)}.`;
}
