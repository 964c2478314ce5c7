import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';

/** A client's first line: it holds open the file named to it, which proves its process id. */
export const helloSchema = z.strictObject({ pid: z.int().min(1) });
const gate = z.string().max(100);
export const questionSchema = z.union([
  z.strictObject({
    n: z.int(),
    answer: z.strictObject({ gate, answer: z.unknown(), where: z.enum(['board', 'command']) }),
  }),
  z.strictObject({ n: z.int(), text: z.strictObject({ gate, what: z.enum(['plan', 'diff', 'message']) }) }),
]);
export type DoorQuestion = z.infer<typeof questionSchema>;

/** Reads JSON values, one a line, from a socket. Closes it at a line that is no value or is longer than `longest`. */
export function hearLines(
  socket: Socket,
  hear: (value: unknown) => void,
  { longest = Number.POSITIVE_INFINITY }: { readonly longest?: number } = {},
): void {
  const decoder = new StringDecoder();
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    const lines = (text + decoder.write(chunk)).split('\n');
    text = lines.pop() ?? '';
    if (text.length > longest) {
      socket.destroy();
      return;
    }
    for (const line of lines) {
      try {
        hear(JSON.parse(line));
      } catch {
        socket.destroy();
        return;
      }
    }
  });
  // Its end is heard of by who waits for it.
  socket.on('error', () => undefined);
}

export function sayLine(socket: Socket, value: unknown): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
}
