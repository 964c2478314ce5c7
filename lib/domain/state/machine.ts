import * as z from 'zod';
import { lineSchema } from '../text.ts';

export const machineRoles = ['lead', 'worker'] as const;

/** What a machine says of itself with each sign of life; only who it is decides anything, by the ref it stands on. */
export const signOfLifeSchema = z.object({
  v: z.literal(1),
  /** Its clone, see cloneName. */
  machine: lineSchema(300),
  person: lineSchema(300),
  role: z.enum(machineRoles),
  version: lineSchema(50),
  /** Digest of the configuration it works with. */
  config: lineSchema(100),
  slots: z.int().min(0),
  /** When it joined, by its own clock: to be shown, never to be compared. */
  since: lineSchema(40),
});
export type SignOfLife = Readonly<z.infer<typeof signOfLifeSchema>>;
export type MachineRole = SignOfLife['role'];
