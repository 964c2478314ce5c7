import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeUnwrittenObject } from '../../../lib/git/objects/make-object.ts';
import { CatFile } from '../../../lib/git/process/cat-file.ts';
import { ObjectWriter } from '../../../lib/store/write/ref-publisher.ts';
import { makeRepo } from '../../support/repo.ts';

for (const objectFormat of ['sha1', 'sha256'] as const)
  test(`a git that already runs finds few and many new objects, also when written twice, in ${objectFormat}`, async () => {
    const repo = makeRepo({ objectFormat });
    const place = { context: { cwd: repo.path, env: repo.env }, commonDir: join(repo.path, '.git') };
    const catFile = new CatFile(place.context, place.commonDir);
    const writer = new ObjectWriter({ ...place, objectFormat });
    for (const count of [3, 40]) {
      const objects = Array.from({ length: count }, (_, at) =>
        makeUnwrittenObject(objectFormat, 'blob', `${count} ${at}`),
      );
      for (const { oid } of objects) assert.is(await catFile.read(oid), null);
      await writer.write(objects);
      await writer.write(objects);
      for (const [at, { oid }] of objects.entries())
        assert.is((await catFile.read(oid))?.bytes.toString(), `${count} ${at}`);
    }
    await catFile.close();
    const packs = readdirSync(join(place.commonDir, 'objects', 'pack'));
    assert.is(packs.filter((name) => name.endsWith('.pack')).length, 1);
    assert.is(repo.git('fsck', '--no-dangling'), '');
  });

test.run();
