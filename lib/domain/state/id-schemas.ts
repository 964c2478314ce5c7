import * as z from 'zod';
import {
  type ObjectId,
  objectIdPattern,
  type SessionId,
  sessionIdPattern,
  type TaskId,
  taskIdPattern,
} from '../ids.ts';

/** Name of an object of git, as notes hold it. */
export const objectIdSchema = z
  .string()
  .regex(objectIdPattern)
  .transform((id) => id as ObjectId);
export const sessionIdSchema = z
  .string()
  .regex(sessionIdPattern)
  .transform((id) => id as SessionId);
export const taskIdSchema = z
  .string()
  .regex(taskIdPattern, 'must be lower-case words joined by hyphens, like task-001')
  .transform((id) => id as TaskId);
