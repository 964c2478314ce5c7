import { compareWithBash } from './differential.ts';

// A longer comparison than the one of the suite: node build/test/policy/differential-run.js [commands] [seed]

const { mismatches, ...counts } = compareWithBash(Number(process.argv[2] ?? 2_000), Number(process.argv[3] ?? 1));
for (const one of mismatches) process.stdout.write(`MISMATCH ${one}\n`);
process.stdout.write(`${JSON.stringify({ ...counts, mismatches: mismatches.length })}\n`);
process.exitCode = mismatches.length > 0 || counts.started === 0 ? 1 : 0;
