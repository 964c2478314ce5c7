import * as z from 'zod';
import { agentRoles } from './role.ts';

export const roleSchema = z.enum(agentRoles);
