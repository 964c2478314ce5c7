/** Whether a file is written by a tool. By name alone: any author can write "generated" into a file. */
export function isMadeByTools(path: string): boolean {
  return madeByTools.test(path);
}

const madeByTools =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|composer\.lock|Gemfile\.lock|mix\.lock|Podfile\.lock|pubspec\.lock|packages\.lock\.json|gradle\.lockfile|flake\.lock)$|\.min\.(?:js|mjs|css)$|\.(?:js|mjs|cjs|css)\.map$/;

/** Characters of a line that no person reads, and few write. */
export const widestLine = 5_000;
