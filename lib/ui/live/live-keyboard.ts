import type { InputStream } from '../../domain/shown/command.ts';

/** The keys of a terminal, one by one. */
interface LiveKeyboard {
  /** Takes the terminal's keys. */
  listen(): void;
  /** Gives the terminal back as it was. */
  release(): void;
}

/** Does nothing where the input is no terminal. */
export function createKeyboard(stdin: InputStream, onText: (text: string) => void): LiveKeyboard {
  let isListening = false;
  const onData = (chunk: Buffer | string): void => onText(chunk.toString());
  const setRaw = (isRaw: boolean): void => void stdin.setRawMode?.(isRaw);
  return {
    listen: () => {
      if (stdin.isTTY !== true || isListening) return;
      isListening = true;
      setRaw(true);
      stdin.on('data', onData);
      stdin.resume();
    },
    release: () => {
      if (!isListening) return;
      isListening = false;
      stdin.off('data', onData);
      stdin.pause();
      setRaw(false);
    },
  };
}
