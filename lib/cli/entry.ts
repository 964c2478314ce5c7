declare const FLAME_VERSION: string;

/** Starts the program. Answers `--version` itself, so that it costs no more than starting node. */
export function start(): void {
  const [first] = process.argv.slice(2);
  if (first === '--version' || first === '-v') {
    process.stdout.write(`git-flame ${FLAME_VERSION}\n`);
    return;
  }
  process.exitCode = 1;
  // @ts-expect-error: the bundle exists only after the build, beside this one
  void import('./cli.mjs').then((cli) => cli.runProcess());
}
