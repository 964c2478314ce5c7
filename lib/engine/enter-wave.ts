import type { SessionId } from '../domain/ids.ts';
import { type Recorder, record, type SessionView, viewSession } from './record.ts';

/** Puts a session into this wave, unless it is in it already, and reports that the wave has started. */
export async function enterWave(
  workshop: Recorder,
  id: SessionId,
  wave: 'validate' | 'merge' | 'review',
): Promise<SessionView> {
  await record(workshop, id, ({ session }) => {
    if (session.wave === wave) return null;
    return {
      session: {
        next: { ...session, wave, state: 'active' },
        subject: `session: wave ${wave}, cycle ${session.cycle}`,
      },
    };
  });
  const view = await viewSession(workshop, id);
  workshop.events.emit({ event: 'wave-started', wave, cycle: view.session.cycle });
  return view;
}
