import * as z from 'zod';
import { lineSchema } from '../text-schemas.ts';

export const machineRoles = ['lead', 'worker'] as const;

/** Roles of a machine that joined: takes tasks, judges work. */
export const joinedMachineRoles = ['work', 'validate'] as const;
export const joinedMachineRoleSchema = z.enum(joinedMachineRoles);
export type JoinedMachineRole = (typeof joinedMachineRoles)[number];

/** Content of a heartbeat; only the machine's identity decides anything, by the ref it stands on. */
export const heartbeatSchema = z.object({
  v: z.literal(1),
  /** Its clone, see cloneName. */
  machine: lineSchema(300),
  person: lineSchema(300),
  role: z.enum(machineRoles),
  version: lineSchema(50),
  /** Digest of the configuration it works with. */
  config: lineSchema(100),
  slots: z.int().min(0),
  /** Roles it offers. */
  roles: z.array(joinedMachineRoleSchema).max(10),
  /** Its public key (ed25519, base64url): what it signs is believed where a person named this key. */
  key: lineSchema(100).optional(),
  /** When it joined, by its own clock: to be shown, and compared with nothing but when it itself joined before. */
  since: lineSchema(40),
});
export type Heartbeat = Readonly<z.infer<typeof heartbeatSchema>>;
export type MachineRole = Heartbeat['role'];

/**
 * By which machine a verdict was found, under which claim, signed with its key: see core/machines/machine-statement.
 */
export const machineStatementSchema = z.object({
  name: lineSchema(300),
  claim: z.int().min(1),
  key: lineSchema(100),
  signature: lineSchema(200),
});
export type MachineStatement = Readonly<z.infer<typeof machineStatementSchema>>;

// More is no count of anything that happened, and a number after the largest could not be written.
const mostClaims = 1_000_000_000;

/** How often something was claimed. */
export const claimNumberSchema = z.int().min(1).max(mostClaims);

/** The number of the claim after that one; none was made where it isn't given. */
export function nextClaimNumber(before = 0): number {
  return Math.min(before + 1, mostClaims);
}
