import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { ChangesetDecision } from '../../../lib/domain/ports/changeset-question.ts';
import type { DecisionWithPlace, Gates } from '../../../lib/domain/ports/gates.ts';
import { createGates } from '../../../lib/ui/questions/create-gates.ts';
import { openReviewPageServer, type ReviewPage } from '../../../lib/ui/review-page/open-review-page.ts';
import { emptyUnfinishedReview } from '../../../lib/ui/review-page/unfinished-review.ts';
import { type FakeIo, makeFakeIo } from '../../support/fake-io.ts';
import { plainStyle, sampleChangeset, sampleChangesetQuestion, sampleSession } from '../samples.ts';

const where = 'review page';

interface Both {
  readonly fake: FakeIo;
  readonly gates: Gates;
  readonly page: ReviewPage;
  /** A decision as the page sends it. */
  post(decision: unknown): Promise<number>;
}

/** Gates at a terminal, if there is one, with a page beside it. */
async function withBoth(
  options: { readonly isTTY: boolean; readonly isWanted: boolean },
  work: (both: Both) => Promise<void>,
): Promise<void> {
  const changeset = sampleChangeset();
  const page = await openReviewPageServer({
    source: {
      read: async () => ({
        session: sampleSession(),
        changesets: [{ changeset, isUndoable: false, tryCommand: null, tasks: [], verdicts: [], doubts: [], runs: [] }],
      }),
      patch: async () => ({ files: [] }),
      text: async () => null,
      since: async () => null,
      guide: async () => ({ chapters: [] }),
    },
    preferences: {
      read: async () => ({ layout: 'line', theme: 'auto', order: 'chapters' }),
      write: async () => undefined,
    },
    kept: { read: async () => emptyUnfinishedReview, write: async () => undefined },
  });
  let isOpen = options.isWanted;
  const fake = makeFakeIo({ isTTY: options.isTTY, columns: 200 });
  const gates = createGates(fake.io, {
    person: 'Lea Lead <lea@example.com>',
    style: plainStyle(),
    pager: 'cat',
    editor: 'false',
    resume: 'git flame review',
    formatPlan: () => '',
    parsePlan: () => ({ tasks: [] }),
    decisions: null,
    readFile: async () => '',
    reviewPage: {
      isWanted: () => isOpen,
      open: async () => {
        isOpen = true;
        return page;
      },
    },
  });
  const { origin, searchParams } = new URL(page.url);
  const post = async (decision: unknown): Promise<number> => {
    const response = await fetch(`${origin}/api/decide`, {
      method: 'POST',
      headers: { 'x-flame-token': searchParams.get('token') ?? '' },
      body: JSON.stringify({ changeset: changeset.id, commit: changeset.commit, decision }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  try {
    await work({ fake, gates, page, post });
  } finally {
    await page.close();
  }
}

/** Posts until the gate has come to ask: a page without a question answers 202. */
async function postWhenAsked({ post }: Both, decision: unknown): Promise<void> {
  let status = 202;
  while (status === 202) status = await post(decision);
  assert.is(status, 200);
}

test('REV-2: the page answers first: the question at the terminal is withdrawn, and the next one is asked there', async () => {
  await withBoth({ isTTY: true, isWanted: true }, async (both) => {
    const asked = both.gates.changeset(sampleChangesetQuestion());
    await postWhenAsked(both, { kind: 'approve' });
    assert.equal(await asked, { kind: 'approve', commit: sampleChangesetQuestion().changeset.commit, where });
    assert.is(await both.post({ kind: 'skip' }), 202);
    both.fake.type('r\nlate\nn\n');
    assert.equal(await both.gates.changeset(sampleChangesetQuestion()), {
      kind: 'reject',
      reason: 'late',
      where: 'terminal',
    });
    assert.is(await both.post({ kind: 'skip' }), 202);
    assert.is(both.fake.stderr().split('(s)kip?').length - 1, 2);
  });
});

test('w at the terminal opens the page for this question and those that follow', async () => {
  await withBoth({ isTTY: true, isWanted: false }, async (both) => {
    const asked = both.gates.changeset(sampleChangesetQuestion());
    assert.is(await both.post({ kind: 'skip' }), 202);
    both.fake.type('w\n');
    await postWhenAsked(both, { kind: 'skip' });
    assert.equal(await asked, { kind: 'skip', where });
    const next = both.gates.changeset(sampleChangesetQuestion());
    await postWhenAsked(both, { kind: 'reject', reason: 'no', keep: true });
    assert.equal(await next, {
      kind: 'reject',
      reason: 'no',
      keep: true,
      where,
    } satisfies DecisionWithPlace<ChangesetDecision>);
    assert.is(both.fake.stderr().split('(w)eb').length - 1, 1);
  });
});

test('without a terminal the page is waited for where it is wanted, else nobody is', async () => {
  await withBoth({ isTTY: false, isWanted: true }, async (both) => {
    const asked = both.gates.changeset(sampleChangesetQuestion());
    await postWhenAsked(both, { kind: 'approve' });
    assert.equal(await asked, { kind: 'approve', commit: sampleChangesetQuestion().changeset.commit, where });
  });
  await withBoth({ isTTY: false, isWanted: false }, async ({ gates }) => {
    const error = await gates.changeset(sampleChangesetQuestion()).catch((thrown: FlameError) => thrown);
    assert.is(error instanceof FlameError && error.code, 'waits-for-person');
  });
});

test('Ctrl-C ends the waiting for the page', async () => {
  await withBoth({ isTTY: false, isWanted: true }, async ({ gates, fake }) => {
    const asked = gates.changeset(sampleChangesetQuestion());
    fake.interrupt(new FlameError({ kind: 'interrupted', code: 'interrupted', message: 'Interrupted.' }));
    const error = await asked.catch((thrown: FlameError) => thrown);
    assert.is(error instanceof FlameError && error.kind, 'interrupted');
    assert.ok(error instanceof FlameError && error.hints.length === 1, 'the command that asks again');
  });
});

test.run();
