/** Output of a command: a stream of Node that may be a terminal. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** Input from a person. */
export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  /** Keys one by one, unseen, and none of them a signal; a terminal alone has it. */
  setRawMode?(isRaw: boolean): unknown;
};

/** Where a command runs: its folder, environment and streams. Tests pass their own. */
export interface Io {
  /** Absolute: the person's current folder; paths they type are relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborts at Ctrl-C, SIGTERM or SIGHUP; its reason is the FlameError `interrupted` to throw. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts at the second Ctrl-C: agents are ended without a grace time. */
  readonly hurry?: AbortSignal | undefined;
}
