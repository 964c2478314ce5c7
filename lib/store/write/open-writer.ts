import type { CatFile } from '../../git/process/cat-file.ts';
import { openIdents } from '../../git/process/read-identity.ts';
import type { StateReader } from '../notes/state-reader.ts';
import type { StoreOptions } from '../store-options.ts';
import { GroupCommit } from './group-commit.ts';
import { publishReviewNotes } from './publish-review-notes.ts';
import { ObjectWriter } from './ref-publisher.ts';
import { WriteQueue } from './write-queue.ts';

/** Opens the writer of a repository's state; the reader knows its writes without reading them. */
export function openWriter(
  options: StoreOptions,
  reading: { readonly catFile: CatFile; readonly reader: StateReader },
): GroupCommit {
  const { context, commonDir, objectFormat, idents = openIdents(context) } = options;
  return new GroupCommit({
    context,
    idents,
    commonDir,
    objectFormat,
    ...reading,
    objects: new ObjectWriter({ context, commonDir, objectFormat }),
    queue: new WriteQueue(commonDir),
    now: options.now ?? (() => new Date()),
    host: options.hostname ?? null,
    onReviewed: (state) => publishReviewNotes({ ...options, catFile: reading.catFile }, state),
    ...(options.signer === undefined ? {} : { signer: options.signer }),
    ...(options.ownTips === undefined ? {} : { ownTips: options.ownTips }),
  });
}
