import { isMadeByTools } from '../../domain/state/made-by-tools.ts';

/** lock: the exact versions of dependencies, written by a package manager. */
export type FileKind = 'source' | 'test' | 'document' | 'ci' | 'build' | 'dependencies' | 'settings' | 'lock' | 'made';

/** What a file is for, by its path alone. */
export function kindOfFile(path: string): FileKind {
  if (isMadeByTools(path)) return /\.(?:js|mjs|cjs|css|map)$/.test(path) ? 'made' : 'lock';
  const kind = kinds.find(([, names]) => names.test(path))?.[0] ?? 'source';
  return kind === 'document' && languageOf(path) !== 'other' ? 'source' : kind;
}

/** Whether a test runner would look for tests in a file: else it helps tests, or is their data. */
export function isTestByName(path: string): boolean {
  return testNames.test(path);
}

const testNames =
  /(?:^|\/)(?:[^/]*[._-](?:test|tests|spec|specs|e2e|cy)\.[^/.]+|test_[^/]+\.py|[^/]+_(?:test|spec)\.(?:go|py|rb|exs|dart|c|cc|cpp|rs)|[^/]*[a-z0-9](?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|kts|scala|groovy|cs|swift|php)|tests?\.(?:rs|py|js|ts|c|cc|cpp))$/;

/** What agents take for instructions, or run, in each clone. */
export const agentNames =
  /(?:^|\/)(?:(?:AGENTS|CLAUDE|GEMINI)(?:\.[\w-]+)?\.md|SKILL\.md|\.mcp\.json|\.(?:cursor|windsurf|cline)(?:rules|ignore)|\.github\/(?:copilot-instructions\.md|(?:instructions|prompts|chatmodes|agents)\/.+)|\.(?:claude|cursor|codex|gemini|windsurf|clinerules|agents|aider[^/]*)(?:\/.+|\.ya?ml))$/i;

/** What a shell, an editor or a debugger runs on a developer's machine when a folder is entered or opened. */
export const localNames =
  /(?:^|\/)(?:\.envrc|\.?mise(?:\.[\w-]+)?\.toml|\.(?:ex|vim|nvim|lvim)rc|\.nvim\.lua|\.dir-locals\.el|\.gdbinit|\.lldbinit|[^/]+\.code-workspace|\.(?:vscode|zed|devcontainer|mise)\/.+|\.devcontainer\.json)$/;

// The first that matches counts.
const kinds: readonly (readonly [FileKind, RegExp])[] = [
  ['settings', agentNames],
  ['settings', localNames],
  [
    'ci',
    /(?:^|\/)(?:\.github\/(?:workflows|actions)\/|\.gitlab\/ci\/|\.circleci\/|\.buildkite\/|\.woodpecker\/|\.gitlab-ci\.yml$|\.travis\.yml$|\.drone\.yml$|\.appveyor\.yml$|appveyor\.yml$|Jenkinsfile|azure-pipelines[^/]*\.ya?ml$|bitbucket-pipelines\.yml$|\.cirrus\.yml$|\.pre-commit-config\.yaml$|\.husky\/|lefthook\.ya?ml$|action\.ya?ml$|CODEOWNERS$)/,
  ],
  [
    'dependencies',
    /(?:^|\/)(?:package\.json|go\.mod|go\.work|Cargo\.toml|pyproject\.toml|setup\.py|setup\.cfg|requirements[^/]*\.(?:txt|in)|requirements\/[^/]+\.txt|constraints[^/]*\.txt|Pipfile|environment\.ya?ml|Gemfile|[^/]+\.gemspec|composer\.json|pom\.xml|[^/]+\.gradle(?:\.kts)?|libs\.versions\.toml|[^/]+\.csproj|[^/]+\.fsproj|Directory\.Packages\.props|packages\.config|mix\.exs|pubspec\.yaml|Podfile|Package\.swift|deno\.jsonc?|vcpkg\.json|conanfile\.(?:txt|py)|flake\.nix|\.gitmodules|pnpm-workspace\.yaml)$/,
  ],
  [
    'settings',
    /(?:^|\/)(?:\.?eslintrc[^/]*|eslint\.config\.[^/]+|biome\.jsonc?|\.oxlintrc\.json|\.?prettier(?:rc|ignore)?[^/]*|tslint\.json|tsconfig[^/]*\.json|jsconfig\.json|\.?ruff\.toml|\.flake8|\.?pylintrc|mypy\.ini|\.mypy\.ini|pyrightconfig\.json|tox\.ini|noxfile\.py|pytest\.ini|\.coveragerc|\.?nycrc[^/]*|codecov\.ya?ml|\.codecov\.ya?ml|\.golangci\.ya?ml|\.?clippy\.toml|\.?rustfmt\.toml|\.clang-(?:tidy|format)|\.rubocop[^/]*\.yml|phpstan[^/]*\.neon|phpunit\.xml[^/]*|\.editorconfig|\.gitattributes|\.(?:git|docker|npm|eslint|oxlint|stylelint|markdownlint|semgrep|trivy|snyk|gitleaks|nyc)ignore|\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|bunfig\.toml|\.env[^/]*|\.blueflame\.yml|(?:jest|vitest|playwright|cypress|karma|ava|mocha|wdio)\.config\.[^/]+|\.mocharc[^/]*|renovate\.json5?|dependabot\.ya?ml|checkstyle[^/]*\.xml|detekt\.yml|\.swiftlint\.yml|sonar-project\.properties|deny\.toml|audit\.toml)$|(?:^|\/)(?:\.idea|\.cargo)\//,
  ],
  [
    'build',
    /(?:^|\/)(?:\.?ci\/[^/]+|(?:GNU)?[Mm]akefile[^/]*|[^/]+\.mk|[^/]+\.mak|CMakeLists\.txt|[^/]+\.cmake|configure(?:\.ac|\.in)?|[^/]+\.m4|meson\.build|meson_options\.txt|BUILD(?:\.bazel)?|WORKSPACE|[^/]+\.bzl|MODULE\.bazel|Dockerfile[^/]*|[^/]+\.dockerfile|docker-compose[^/]*\.ya?ml|compose\.ya?ml|(?:webpack|rollup|vite|esbuild|babel|metro|tsup|postcss|tailwind|next|nuxt|svelte|astro|gulpfile|Gruntfile)(?:\.config)?[^/]*\.[cm]?[jt]s|gradlew?(?:\.bat)?|gradle\.properties|settings\.gradle[^/]*|build\.(?:rs|sbt|zig|xml|sh|mjs|js)|Rakefile|[jJ]ustfile|Taskfile\.ya?ml|turbo\.json|nx\.json|lerna\.json|Procfile|[^/]+\.nix|[^/]+\.spec\.in|\.bazelrc|\.tool-versions|\.nvmrc|\.node-version|\.python-version|rust-toolchain[^/]*|MANIFEST\.in)$/,
  ],
  ['test', testNames],
  [
    'test',
    /(?:^|\/)(?:tests?|__tests__|__mocks__|__snapshots__|specs?|e2e|testdata|test-data|test_data|fixtures?|unittests?|cypress|androidTest|[^/]+[-_.]tests?)\/|(?:^|\/)conftest\.py$|\.snap$/i,
  ],
  [
    'document',
    /(?:^|\/)(?:README|CHANGELOG|CHANGES|HISTORY|NEWS|CONTRIBUTING|LICEN[CS]E|NOTICE|AUTHORS|SECURITY|COPYING|CODE_OF_CONDUCT|UPGRADING|MAINTAINERS)(?:[-_.][^/]*)?$|\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|tex|texi|[1-8])$|(?:^|\/)\.changes(?:et)?\//i,
  ],
];

export type Language = 'js' | 'python' | 'go' | 'rust' | 'c' | 'java' | 'other';

/** The language of a file by its name; other: one that nothing is read of but its lines. */
export function languageOf(path: string): Language {
  return languages.find(([, names]) => names.test(path))?.[0] ?? 'other';
}

const languages: readonly (readonly [Language, RegExp])[] = [
  ['js', /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte)$/i],
  ['python', /\.pyi?$/i],
  ['go', /\.go$/i],
  ['rust', /\.rs$/i],
  ['c', /\.(?:[ch]|cc|[ch]pp|[ch]xx|hh)$/i],
  ['java', /\.(?:java|kt|scala|cs)$/i],
];
