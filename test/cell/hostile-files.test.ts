import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { claudeHooks } from './fixture.ts';
import { openStage } from './hostile-stage.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

inCell('SBX-2 a worktree cannot be exchanged for something else', async () => {
  const { attack } = await openStage();
  const { said } = await attack(
    [
      'here=$PWD; cd ..',
      'mv $here away; rm -rf $here; rmdir $here; ln -sfn /etc $here; mount --bind /etc $here',
      'rm -f $here/* ; cd $here && echo still > here.txt && pwd -P',
    ].join('\n'),
  );
  assert.match(said, /\/worker-00000001\n/);
  const { handedIn } = await attack('rm -rf src README.md; ln -s /etc src; ln -s /etc/passwd README.md');
  assert.equal(handedIn, ['README.md', 'src', 'src/a.txt']);
});

inCell('UNI-5 pipes, sockets and devices in the worktree: not waited for, not handed in', async () => {
  const { attack } = await openStage();
  const { handedIn, said } = await attack(
    [
      'mkfifo pipe src/pipe; mkfifo .gitattributes .gitignore; echo x > x.txt',
      'mknod zero c 1 5 || echo no device',
      'mknod disk b 8 0 || echo no disk',
      'perl -e \'socket(S,1,1,0); bind(S, pack("Sa*x", 1, "sock"))\' && echo socket',
      'rm README.md; mkfifo README.md',
    ].join('\n'),
  );
  assert.match(said, /no device\nno disk\nsocket/);
  assert.equal(handedIn, ['README.md', 'x.txt']);
});

// Root reads them all the same: it counts where these tests are run again as a plain user.
inCell('WRK-3 what lies in folders without permissions is handed in', async () => {
  const { attack } = await openStage();
  const { handedIn } = await attack(
    'mkdir -p shut/in listed; echo x > shut/in/x; echo y > listed/y; chmod 000 shut/in shut; chmod 400 listed',
  );
  assert.equal(handedIn, ['listed/y', 'shut/in/x']);
});

inCell('UNI-5 names made to confuse: newlines, quotes, options, other alphabets', async () => {
  const { attack } = await openStage();
  const names = ['a\nb', '-rf', '--', ' lead', 'q"uote', '$(id)', 'back\\slash', 'ünï', 'a\tb', '‮gpj'];
  const quoted = names.map((name) => `'./${name}'`).join(' ');
  const { handedIn } = await attack(`for f in ${quoted}; do echo x > "$f"; done; printf x > "$(printf 'bad\\377')"`);
  assert.type(handedIn, 'object', String(handedIn));
  for (const name of names) assert.ok(handedIn.includes(name), JSON.stringify(handedIn));
});

// More than a pipe or a batch holds; by hand FLAME_TEST_MANY_FILES=100000, fewer where what is tried again is who runs
// it.
const many = Number(process.env.FLAME_TEST_MANY_FILES ?? 20_000);

inCell(`UNI-5 ${many} empty files, folders without end, links in a circle`, async () => {
  const { attack, repo } = await openStage();
  const { handedIn } = await attack(
    `mkdir many && cd many && seq ${many} | xargs touch; cd ..; ln -s loop loop; ln -s . self`,
    { timeoutMs: 60_000 },
  );
  assert.is(handedIn.length, many + 2, String(handedIn).slice(0, 200));
  const deep = await attack(
    'for i in $(seq 400); do mkdir -p dddddddddddddddddddd && cd dddddddddddddddddddd; done; echo x > x',
  );
  assert.ok(Array.isArray(deep.handedIn) || deep.handedIn !== 'no error');
  assert.is(repo.git('status', '--porcelain', '-uno'), '');
});

inCell('SBX-1 a file over the limit ends its writer, and the disk is not filled by it', async () => {
  const { attack } = await openStage({ config: { sandbox: { max_file_size_mb: 1 } } });
  const { outcome, handedIn } = await attack('exec head -c 100000000 /dev/zero > big');
  assert.is(outcome.failure?.kind, 'limit');
  assert.match(outcome.failure?.message ?? '', /over the limit of 1 MB/);
  assert.equal(handedIn, ['big']);
  const sparse = await attack(
    'truncate -s 1T sparse || echo refused; cat /dev/zero > $TMPDIR/x; cat /dev/zero > /tmp/y; cat /dev/zero > /dev/shm/z; stat -c %s $TMPDIR/x /tmp/y /dev/shm/z',
  );
  assert.match(sparse.said, /refused/);
  // A hundredth and 4 KiB above the limit, so that what was cut off is over it.
  assert.match(sparse.said, /1063424\n1063424\n1063424/);
});

inCell('SBX-2 memory that belongs to no process cannot be filled: all that can be written is on disk', async () => {
  const { attack } = await openStage();
  const { said } = await attack(
    [
      'for d in /dev /run /tmp /dev/shm $HOME $TMPDIR .; do',
      '  echo x > $d/probe 2>/dev/null && echo "$d $(stat -f -c %T $d)"',
      'done',
    ].join('\n'),
  );
  assert.not.match(said, /tmpfs|ramfs/);
  assert.match(said, /^\/tmp /);
});

inCell('WAT-6 an agent that rewrites its settings and its watcher in mid-run is judged as before', async () => {
  const { attack, repo } = await openStage({ adapter: claudeHooks });
  const before = readFileSync('dist/watcher.cjs', 'utf8');
  const call = (file: string): string =>
    `printf '{"tool_name":"Write","cwd":"%s","tool_input":{"file_path":"%s/${file}","content":"x"}}' "$PWD" "$PWD" | eval "$HOOK" 2>/dev/null; echo "${file} $?"`;
  const { said } = await attack(
    [
      call('a.txt'),
      call('secret.key'),
      'control=$(dirname "$0")',
      'for f in $control/task.sh /run/blueflame-tools/watcher /run/blueflame-tools/watcher.cjs /run/blueflame/judge.sock; do',
      '  echo evil > $f; rm -f $f; mv $f $f.old; ln -sf /bin/true $f; chmod 777 $f; mount --bind /bin/true $f',
      'done 2>/dev/null',
      'mv /run/blueflame-tools /run/x 2>/dev/null; umount /run/blueflame-tools /run/blueflame 2>/dev/null',
      call('a.txt'),
      call('secret.key'),
    ].join('\n'),
  );
  assert.match(said, /^a\.txt 0\nsecret\.key 2\na\.txt 0\nsecret\.key 2/);
  assert.is(readFileSync('dist/watcher.cjs', 'utf8'), before);
  assert.ok(existsSync(repo.path));
});

test.run();
