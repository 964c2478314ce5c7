const words: Readonly<Record<string, string>> = {
  ENOENT: "it doesn't exist",
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'you have no right to',
  EPERM: 'you have no right to',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
};

/** Why a file couldn't be read or written, for a person to read. */
export function fileTrouble({ code, message }: NodeJS.ErrnoException): string {
  return words[code ?? ''] ?? message;
}
