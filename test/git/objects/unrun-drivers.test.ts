import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { openFixture } from '../cell-fixture.ts';

test('MRG-3 a conflict names the merge driver that git itself would have run, and runs it not', async () => {
  const { repo, port } = await openFixture();
  const ran = join(repo.path, 'ran');
  repo.write('.gitattributes', 'package-lock.json merge=lock-file\n*.other merge=unknown\n');
  for (const name of ['package-lock.json', 'plain.txt', 'x.other']) repo.write(name, 'base\n');
  repo.commit('base');
  repo.git('config', 'merge.lock-file.driver', `touch '${ran}'; cp %B %A`);
  const side = (branch: string, text: string): string => {
    repo.git('switch', '-qC', branch, 'main');
    for (const name of ['package-lock.json', 'plain.txt', 'x.other']) repo.write(name, text);
    return repo.commit(branch);
  };
  const [one, two] = [side('one', 'one\n'), side('two', 'two\n')];
  repo.git('switch', '-q', 'main');
  const merges = [
    await port.mergeTree(parseObjectId(one), parseObjectId(two)),
    await port.mergeDifferenceOnto(
      parseObjectId(one),
      parseObjectId(repo.git('rev-parse', 'main')),
      parseObjectId(two),
    ),
  ];
  for (const result of merges) {
    assert.is(result.kind, 'conflict');
    const said = result.kind === 'conflict' ? result.messages.filter((one) => one.includes('driver')) : [];
    assert.equal(said, [
      "package-lock.json: git merge would use your merge driver lock-file, but drivers never run on agents' work.",
    ]);
  }
  assert.is(existsSync(ran), false);
  assert.equal(await port.mergeDrivers(), ['lock-file']);
});

test.run();
