import type * as z from 'zod';
import { post } from '../../page/client/transport.ts';
import type { keepSchema } from '../kept-review.ts';
import type { PagePreferences } from '../page-facts.ts';

/** Remembers what was begun, beyond this tab. */
export function keep(change: z.input<typeof keepSchema>): void {
  void post('/api/keep', change);
}

export function remember(preferences: PagePreferences): void {
  void post('/api/preferences', preferences);
}
