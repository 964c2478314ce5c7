import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooComplex } from '../../lib/policy/bash/parse-script.ts';
import { decideToolCall } from '../../lib/policy/decide-tool-call.ts';
import { makePolicy, memoryFacts } from './fixtures.ts';

const code = `const said = "it's"; if (a << 2) { f({ b: [1, 2], c: '$(x)' }); } // "\n`;
const file = code.repeat(1_400);
const policy = makePolicy();
const many = Array.from({ length: 400 }, (_, index) => `src/f${index}.ts`);
const facts = memoryFacts('/wt', ['src/', ...many]);

function judge(command: string): string {
  return decideToolCall(policy, { tool_name: 'Bash', tool_input: { command }, cwd: '/wt' }, facts).rule;
}

test('WAT-4 a file of 100 kB in a here-document passes', () => {
  assert.ok(file.length > 95_000);
  for (const head of ["cat > src/x.js <<'EOF'", 'cat <<"EOF" > src/x.js', "cat <<-'EOF' > src/x.js"])
    assert.is(judge(`${head}\n${file}EOF\necho done`), 'allowed', head);
  assert.is(judge(`cat > src/x.js <<'A'\n${file.slice(0, 60_000)}\nA\ncat > src/y.js <<'B'\n${code}B`), 'allowed');
});

test('WAT-4 a message in a here-document within quotes passes', () => {
  assert.not(isTooComplex(`git commit -m "$(cat <<'EOF'\n${file}EOF\n)"`));
});

test('WAT-4 what is too long to be parsed is refused, wherever it claims to be text', () => {
  const commands = 'ls a\n'.repeat(19_000);
  for (const command of [
    'ls | '.repeat(1_001),
    `ls ${'a '.repeat(4_000)}`,
    `echo '${'x'.repeat(20_001)}'`,
    `echo "<<'EOF'"\n${commands}EOF`,
    `echo '<<EOF'\n${commands}EOF`,
    `ls # <<EOF\n${commands}EOF`,
    `ls \\<<EOF\n${commands}EOF`,
    `cat <<<EOF\n${commands}EOF`,
    `cat ${'<<A '.repeat(4_000)}`,
    `cat > a <<'EOF'\n${'x\n'.repeat(80_000)}EOF`,
  ]) {
    assert.ok(isTooComplex(command), command.slice(0, 30));
    assert.is(judge(command), 'command-too-complex');
  }
});

test('WAT-4 what a short command stands for is counted: rounds, folders, wildcards', () => {
  assert.is(judge('for i in 1 2 3; do ls a b c d e f; done; '.repeat(80)), 'allowed');
  assert.is(judge(`check() { ${'ls a; '.repeat(200)}}; ${'check; '.repeat(40)}`), 'command-too-complex');
  assert.is(judge(`ls ${'src/f1*.ts '.repeat(500)}`), 'command-too-complex');
  // A quoted text of several lines that looks like the beginning of a here-document.
  assert.is(judge(`echo "a\n <<'EOF'"\n${'ls a\n'.repeat(19_000)}EOF`), 'command-too-complex');
});

test('WAT-4 what agents write every day is far below', () => {
  assert.is(judge(`ls ${many.join(' ')}`), 'allowed');
  assert.is(judge('for f in src/*.ts; do wc -l "$f"; done'), 'allowed');
  assert.is(judge(`${'ls src && '.repeat(200)}ls`), 'allowed');
});

test('WAT-4 the file system is asked once about a path, and the next call asks again', () => {
  const asked: string[] = [];
  const counting = {
    ...facts,
    lstat(path: string) {
      asked.push(path);
      return facts.lstat(path);
    },
  };
  const call = { tool_name: 'Bash', tool_input: { command: 'ls src/f1.ts src/f1.ts src/f2.ts' }, cwd: '/wt' };
  assert.is(decideToolCall(policy, call, counting).rule, 'allowed');
  assert.is(asked.length, new Set(asked).size);
  const before = asked.length;
  decideToolCall(policy, call, counting);
  assert.is(asked.length, 2 * before);
});

test.run();
