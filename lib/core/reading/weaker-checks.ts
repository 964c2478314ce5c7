import { formatCount } from '../../util/format-figures.ts';
import { describeChangedExpectations } from './changed-expectations.ts';
import { type ChangedText, countMatches, findMatch, isRealLine } from './changed-text.ts';
import { isTestByName } from './file-kind.ts';
import { findGuardedAssertions } from './guarded-assertions.ts';

/**
 * Finds how a file makes a check weaker, a clause each, the gravest first; by patterns over its changed lines. `lost`:
 * those it removed and no other test got.
 */
export function findWeakerChecks(text: ChangedText, lost: readonly string[]): readonly string[] {
  const { kind } = text;
  if (kind === 'test')
    return [...findWeakerTests(text, lost), ...findLowerLimits(text), ...listMore(text, silencedInTests)];
  const isCheck = kind === 'ci' || kind === 'build' || kind === 'dependencies' || kind === 'settings' || isScript(text);
  return [
    ...(kind === 'ci' ? findLostSteps(text) : []),
    ...(isCheck ? [...findLooserRules(text), ...findLowerLimits(text)] : []),
    ...(kind === 'settings' || kind === 'ci' ? findUnlisted(text) : []),
    ...(kind === 'settings' || kind === 'dependencies' ? findWiderExclusions(text) : []),
    ...(kind === 'document' ? [] : listMore(text, [...silenced, ...unverified])),
  ];
}

/** What a check lets pass from now on; where there is nothing of that, what it no longer insists on. */
function findLooserRules(text: ChangedText): readonly string[] {
  const { kind, file, added, removed } = text;
  const turnsRulesOff = kind === 'settings' || kind === 'dependencies';
  const looser = listMore(text, turnsRulesOff ? [...passes, ...rulesOff] : passes);
  if (looser.length > 0 || file.status === 'deleted') return looser;
  return listMore({ added: removed, removed: added }, strict, 'no longer has');
}

/** A program of a shell, which may be what checks the others. */
function isScript({ path, language, kind, after }: ChangedText): boolean {
  return kind === 'source' && language === 'other' && (/\.(?:sh|bash|zsh|bats)$/.test(path) || after.startsWith('#!'));
}

/** What makes a step succeed though it failed. */
const passes: readonly RegExp[] = [
  /(?:\|\||;)\s*(?:true|:|exit 0|echo\b[^"'|;&]*)(?=\s*$|\s*["'])|\|\|\s*(?:true|:|exit 0)(?=\s)/,
  /^exit 0\s*$|^\t@?-@?\w.*/,
  /continue-on-error:\s*(?!false)\S+/,
  /allow_failure:\s*true|ignore_errors:\s*(?:true|yes)|ignoreFailures\s*=\s*true|testFailureIgnore>\s*true/,
  /^\s*set \+e\b/,
  /--no-verify\b|--passWithNoTests\b|--exit-zero\b|-DskipTests\b|-Dmaven\.test\.skip|--skip-tests?\b|--no-audit\b|SKIP_TESTS?=\S+/,
  /^\s*if:\s*(?:false|\$\{\{\s*false).*/,
];

/** What makes a check fail on less than an error. */
const strict: readonly RegExp[] = [
  /-W\s?error\b\S*|-Werror\b\S*|--max-warnings[= ]0|--fail-(?:on|under)\S*|--strict[\w-]*|--pedantic\b|--locked\b|--frozen-lockfile\b|--error-on-warnings\b|--deny-warnings\b/,
  /^\s*-?\s*["']?error(?:::[\w.:]+)?["']?,?\s*$|\bfilterwarnings\s*=.*\berror\b/,
  /["'][@\w/-]+["']\s*:\s*\[?\s*["']error["']/,
  /\bset -[a-z]*e[a-z]*\b|pipefail\b/,
  /["']?(?:strict\w*|no[A-Z]\w+|warn_\w+|disallow_\w+|xfail_strict|warnings?[-_]as[-_]errors?|WarningsAsErrors|TreatWarningsAsErrors|allWarningsAsErrors)["']?\s*[=:>]\s*["']?(?:true|True|1)\b/,
];

/** A setting of what is not checked; names of packages may read like one. */
const excluded =
  /^\s*["']?(?:[\w-]{0,40}(?:[eE]xclude|[iI]gnore)[\w-]{0,40}|disable|omit|skip\w*)["']?\s*[=:]\s*(?!["']?(?:[\^~<>=\d]|\*["']))\S.*/;

const rulesOff: readonly RegExp[] = [
  /["'][@\w/-]+["']\s*:\s*(?:\[\s*)?(?:["']off["']|0(?=\s*[,\]}]|\s*$))/,
  /"(?:strict\w*|no[A-Z]\w+|exactOptionalPropertyTypes|recommended)"\s*:\s*false|\bstrict\s*=\s*(?:false|False)/,
  /ignore_errors\s*=\s*True|ignore_missing_imports\s*=\s*True|"skipLibCheck"\s*:\s*true/,
  excluded,
  /^[^#\s]\S*\s+(?:\S+\s+)*(?:-diff|binary|-text|linguist-generated\S*|linguist-vendored\S*)(?=\s|$).*/,
];

/** One pattern of several: a line that has two of them counts once. */
function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

/** Where a line has a tool look away: by tools of JavaScript, Python, Go and Rust, Java and C, and others. */
const silenced: readonly RegExp[] = [
  anyOf(
    /(?:eslint|oxlint|tslint|stylelint)-disable[\w-]*|biome-ignore(?:-\w+)?|@ts-(?:ignore|nocheck|expect-error)/,
    /#\s*noqa\b|#\s*type:\s*ignore|#\s*nosec\b|#\s*pylint:\s*disable|#\s*pyright:\s*ignore/,
    /\/\/\s*nolint\b|#!?\[(?:cfg_attr\(.*)?allow\([^)]*\)+\]/,
    /@SuppressWarnings|@Suppress\(|\bNOLINT\w*|#pragma warning\s*\(?\s*disable/,
    /rubocop:disable|@phpstan-ignore|#\s*shellcheck disable\S*|swiftlint:disable/,
  ),
  /(?:istanbul|c8|v8) ignore|pragma:\s*no cover|coverage:\s*ignore|LCOV_EXCL\w*/,
];

// A test of types expects errors.
const silencedInTests = silenced.map((pattern) => new RegExp(pattern.source.replace('|expect-error', '')));

const unverified: readonly RegExp[] = [
  /\bas (?:any(?=\s*(?:[)\],;.}]|$))|unknown as\b)/,
  /\bNODE_ENV\b["'\]]*\s*[!=]==?\s*["']test["']|\benv\b\S{0,3}(?:VITEST\w*|JEST_WORKER_ID|PYTEST_CURRENT_TEST)\b|["']pytest["']\s+(?:not\s+)?in\s+sys\.modules|\btypeof (?:jest|vi)\b|\btesting\.Testing\(\)|\bcfg!\(test\)/,
  /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED|InsecureSkipVerify:\s*true|\bverify\s*=\s*False\b|CERT_NONE|StrictHostKeyChecking[= ]no|\bcurl\b[^\n|]*\s(?:-k|--insecure)\b|--no-check-certificate|http\.sslVerify[= ]false|danger_accept_invalid_certs\(true\)|@csrf_exempt/,
];

/** What the added lines hold more often than the removed ones, in their own words. */
function listMore(
  { added, removed }: Pick<ChangedText, 'added' | 'removed'>,
  signs: readonly RegExp[],
  verb = 'adds',
): readonly string[] {
  return signs.flatMap((pattern) => {
    const more = countMatches(added, pattern) - countMatches(removed, pattern);
    const others = more === 1 ? '' : ` and ${more - 1} more like it`;
    return more <= 0 ? [] : [`${verb} \`${findMatch(added, pattern).trim().slice(0, 60)}\`${others}`];
  });
}

const testCase =
  /^\s*(?:(?:it|test|specify|scenario)(?:\.\w+)*\s*\(|(?:async\s+)?def\s+test\w*|func\s+(?:\([^)]*\)\s*)?(?:Test|Fuzz)\w+\(|#\[(?:\w+::)?test\b|@(?:Test|ParameterizedTest)\b|\[(?:Fact|Theory|Test|TestMethod)\b|TEST(?:_[FP])?\(|fun\s+`)/;
const assertion =
  /\b(?:assert\w*[.!(\s]|expect\w*\s*[.(]|should[.(]|ASSERT_\w+\(|EXPECT_\w+\(|CHECK\w*\(|REQUIRE\w*\(|t\.(?:Error|Fatal|Errorf|Fatalf|is|deepEqual|equal|throws|true|false|same|ok|not\w*)\(|require\.\w+\(t\b|self\.assert\w+|ok\(|verify\()/;
const loose = anyOf(
  /\.(?:toBeTruthy|toBeDefined|toBeFalsy|toMatchObject|toContain\w*|toBe(?:Greater|Less)\w+|toMatch\w*Snapshot|toHaveProperty|not\.toThrow\w*)\(/,
  /\.toThrow\(\s*\)|\.catch\(|(?:string|object|array)(?:Containing|Matching)\(/,
  /\bassert\.(?:match|notEqual|notStrictEqual|doesNotThrow)\(/,
  /\bassert(?:In|Greater\w*|Less\w*|AlmostEqual|Regex)\(|\bapprox\(/,
  /^\s*assert\b.*(?:\bis not None|\snot?\sin\s|\sin\s)|\.not\.to(?:Be(?:Null|Undefined))?\(|toBeInstanceOf\(/,
  /anything\(\)|any\(\w+\)|assertTrue\(|assertIsNotNone\(|assert\.ok\(|assert\s+\w+\s*$|assertNotNull\(/,
  /expect\(\s*(?:true|false|\d+)\s*\)|\bassert\s+True\b|assert\w*\(\s*(?:true|1)\s*[,)]/,
);
/** Holds with any code. */
const vacuous =
  /\|\|\s*true\s*[,)]|\bor True\b|^\s*assert\s*\(.*,\s*["'][^"']*["']\)\s*$|\bexpect\((?!true|false|\d)(.{1,80})\)\.\w+\(\1\)/;
const skipped = anyOf(
  /\b(?:it|test|describe|suite|context|specify|bench)\.(?:skip|todo|fixme|failing|skipIf|runIf)\b/,
  /\b(?:this|t|ctx|context)\.skip\(|\b(?:xit|xtest|xdescribe|xcontext|xspecify)\s*\(/,
  /\b(?:pytest\.mark\.(?:skipif|skip|xfail)|pytest\.(?:skip|importorskip)|collect_ignore\w*|__test__\s*=\s*False|unittest\.(?:skip|expectedFailure))/,
  /\bt\.Skip(?:f|Now)?\(|#\[(?:ignore|should_panic)\b|#!?\[cfg\((?!test\))|\/\/go:build\b/,
  /@(?:Ignore|Disabled)\b|\[Ignore\b|Skip\s*=\s*"|GTEST_SKIP|\bDISABLED_\w+|\bpending\s*\(/,
  /\bskip:\s*(?:true|!|process\b|["'])|\.each\(\s*\[\s*\]|^\s*if\s*\(?\s*(?:false|False|0)\s*[):]/,
);
const focused = /\b(?:it|test|describe|suite|context)\.only\b|\b(?:fit|fdescribe|fcontext)\s*\(/;
const retried =
  /\bretryTimes\(|\bthis\.retries\(|\bconfigure\(\{[^}]*retries|@(?:flaky|Flaky|RetryingTest)\b|pytest\.mark\.flaky/;

function findWeakerTests(text: ChangedText, lines: readonly string[]): readonly string[] {
  const { file, path } = text;
  const removed = lines.filter(isRealLine);
  // One that is a comment now checks nothing.
  const added = text.added.filter(isRealLine);
  const commented = countTestsInComments(text.after) - countTestsInComments(text.before);
  const lost = (pattern: RegExp): number => countMatches(removed, pattern) - countMatches(added, pattern);
  const [cases, asserts] = [lost(testCase), lost(assertion)];
  if (file.status === 'deleted') {
    const gone = [...clause(cases, 'test'), ...clause(asserts, 'assertion')];
    return gone.length === 0 ? [] : [`${gone.join(' with ')} deleted`];
  }
  const isRenamedAway = file.movedFrom !== null && isTestByName(file.movedFrom.path) && !isTestByName(path);
  const looser = asserts > 0 ? 0 : Math.min(-lost(loose), countMatches(removed, assertion));
  const guarded = findGuardedAssertions(text, assertion) ?? { count: 0, guard: '' };
  return [
    ...(isRenamedAway ? ['its new name is not that of a test'] : []),
    ...clause(cases, 'test', ' fewer'),
    ...clause(asserts, 'assertion', ' fewer'),
    ...clause(commented, 'test', ' in comments now'),
    ...clause(looser, 'exact assertion', ' became loose'),
    ...clause(guarded.count, 'assertion', ` behind \`${guarded.guard.slice(0, 60)}\` now`),
    ...describeChangedExpectations(text, assertion),
    ...listMore(text, [skipped, focused, vacuous, retried]),
    ...countRecorded(text),
  ];
}

function clause(count: number, noun: string, what = ''): readonly string[] {
  return count > 0 ? [formatCount(count, noun) + what] : [];
}

/** Results of earlier runs that tests compare with: what the code does now was written over them. */
function countRecorded({ path, file, removed }: ChangedText): readonly string[] {
  if (!recorded.test(path) || file.status !== 'modified' || removed.length === 0) return [];
  return [`${formatCount(removed.length, 'line')} of recorded results replaced`];
}

const recorded =
  /\.(?:snap|golden|approved|ambr|expected)(?:\.\w+)?$|(?:^|\/)(?:__snapshots__|golden|goldens|expected|cassettes)\//;

/** Test cases in comments, or texts, of several lines that begin a line. */
function countTestsInComments(text: string): number {
  let end = '';
  let found = 0;
  for (const line of text.split('\n')) {
    if (end !== '') {
      if (testCase.test(line)) found += 1;
      if (line.includes(end)) end = '';
      continue;
    }
    const [all = '', opening = ''] = /^\s*(\/\*|"""|''')/.exec(line) ?? [];
    const closing = opening === '/*' ? '*/' : opening;
    if (opening !== '' && !line.slice(all.length).includes(closing)) end = closing;
  }
  return found;
}

const step =
  /^\s*(?:-\s*)?(?:(?:run|script|entry):\s*(?<run>[^|>\s][^\n]*)|uses:\s*(?<uses>\S+)|-\s+(?<item>(?:npm|pnpm|yarn|npx|make|cargo|go|pytest|python|tox|mvn|gradle|\.\/|bash|sh|docker|cmake|ctest|dotnet|bundle)\b[^\n]*))/;
const command =
  /^\s*(?:(?:npm|pnpm|yarn|npx|make|cargo|go|pytest|python3?|tox|mvn|gradle|ctest|dotnet|bundle|ruff|mypy|eslint|biome|\.\/gradlew)\s[^\n]*(?:test|check|lint|verify|audit|clippy|vet|mypy|ruff|spec|fmt)[^\n]*|(?:pytest|tox|ctest|mypy)\b[^\n]*)$/;

/** Commands and actions of a pipeline that are gone: neither they nor what they run stands in it any more. */
function findLostSteps({ removed, after, file }: ChangedText): readonly string[] {
  if (file.status === 'deleted') return ['checks of every push are gone with it'];
  const runs = after.split('\n').filter(isRealLine).join('\n');
  const lost = new Set<string>();
  for (const line of removed.filter(isRealLine)) {
    const found = step.exec(line)?.groups ?? {};
    const name = found.run ?? found.item ?? found.uses?.replace(/@.*$/, '') ?? (command.test(line) ? line.trim() : '');
    if (name !== '' && !runs.includes(name)) lost.add(name);
    if (lost.size === 3) break;
  }
  return [...lost].map((name) => `a step is gone: ${name.slice(0, 60)}`);
}

/** Items of a list of checks that are gone from it: linters that were enabled, hooks that ran. */
function findUnlisted({ before, after, removed }: ChangedText): readonly string[] {
  if (removed.length === 0) return [];
  const gone = new Set(removed.map((line) => itemPattern.exec(line)?.[1]));
  const left = new Set(after.split('\n').map((line) => itemPattern.exec(line)?.[1]));
  let key = '';
  const lost = before.split('\n').flatMap((line) => {
    key = /^\s*(?:-\s+)?([\w-]+):\s*$/.exec(line)?.[1] ?? key;
    const item = itemPattern.exec(line)?.[1];
    const isCheck = item !== undefined && /^(?:enable|hooks|select|plugins|extends|linters|checks)$/.test(key);
    return isCheck && gone.has(item) && !left.has(item) ? [item] : [];
  });
  return [...new Set(lost)].slice(0, 3).map((item) => `${item} no longer runs`);
}

/** Lists of what is not checked that are longer now, and files of such patterns with more of them. */
function findWiderExclusions({ path, added, removed }: ChangedText): readonly string[] {
  const isList = /\.\w+ignore$/.test(path) && !/\.(?:git|npm|docker)ignore$/.test(path);
  const lines = (all: readonly string[]): readonly string[] =>
    all.filter((line) => (isList ? isRealLine(line) && !line.startsWith('!') : excluded.test(line)));
  const items = (all: readonly string[]): number => lines(all).flatMap((line) => line.split(/[,|]/)).length;
  const isMore = items(added) > items(removed) && (isList || lines(added).length === lines(removed).length);
  return isMore ? [`no longer checked: ${(lines(added)[0] ?? '').trim().slice(0, 60)}`] : [];
}

/** An item of a list in YAML, with what may follow it. */
const itemPattern = /^\s*-\s+(?:id:\s*)?["']?([\w/-]+)["']?\s*(?:#.*)?$/;

const limit =
  /(?<![\w.-])(?<key>[\w.-]{0,60}(?:timeout|coverage|threshold|branches|functions|statements|lines|fail[_-]under|minimum|max[_-]?warnings|tolerance|precision|min[_-]score|places|max[_-]complexity)\w{0,60})["']?\s*[:=(,]\s*(?<value>\d[\d_.]*)/i;

/** Numbers of a check that changed so that it passes more easily: minimums lowered, times and allowances raised. */
function findLowerLimits({ kind, added, removed, after: text }: ChangedText): readonly string[] {
  const now = new Map(added.flatMap(readLimit));
  const found = removed.flatMap(readLimit).flatMap(([key, before]) => {
    const after = now.get(key);
    if (after === undefined) {
      const isGone = kind !== 'test' && minimum.test(key) && !text.includes(key);
      return isGone ? [`${key} ${before} is gone`] : [];
    }
    const isAllowance = /timeout|max|tolerance/i.test(key);
    const passesMoreEasily = isAllowance ? after > before : after < before;
    return passesMoreEasily ? [`${key} ${before} → ${after}`] : [];
  });
  return [...new Set(found)].slice(0, 3);
}

const minimum = /coverage|threshold|branches|functions|statements|^lines$|fail[_-]under|minimum|min[_-]score/i;

function readLimit(line: string): readonly (readonly [string, number])[] {
  const { key, value } = limit.exec(line)?.groups ?? {};
  return key === undefined || value === undefined ? [] : [[key, Number(value.replaceAll('_', ''))]];
}
