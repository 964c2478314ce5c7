import type { Change } from '../../domain/ports/store-port.ts';
import type { ValidationNote } from '../../domain/state/verdict.ts';
import { noteVersion } from '../notes/note.ts';
import type { Write } from './note-write.ts';

/** Writes for the note on a judged commit: a verdict, or the checks run once more. */
export function validationWrites({ verdict, verification }: Change): readonly Write<ValidationNote>[] {
  return [
    ...(verdict === undefined ? [] : [write(verdict.commit, { verdicts: [verdict] })]),
    ...(verification === undefined ? [] : [write(verification.commit, { verifications: [verification] })]),
  ];
}

function write(
  key: Write<ValidationNote>['key'],
  added: Partial<Pick<ValidationNote, 'verdicts' | 'verifications'>>,
): Write<ValidationNote> {
  return {
    key,
    anchor: null,
    next: (stored, rev) => {
      const verifications = [...(stored?.verifications ?? []), ...(added.verifications ?? [])];
      return {
        v: noteVersion,
        rev,
        verdicts: [...(stored?.verdicts ?? []), ...(added.verdicts ?? [])],
        ...(verifications.length === 0 ? {} : { verifications }),
      };
    },
  };
}
