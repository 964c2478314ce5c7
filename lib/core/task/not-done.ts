/** Prefix of the last part of an agent's last message when it left a task alone on purpose. */
export const notDoneMark = 'NOT DONE:';

/** Why an agent says that it did nothing, in the form it was asked for; '' where it didn't say. */
export function reasonNotDone(lastMessage: string): string {
  const lines = lastMessage.split('\n');
  const at = lines.findLastIndex((line) => line.trimStart().startsWith(notDoneMark));
  if (at === -1) return '';
  const text = lines.slice(at).join('\n').trim();
  return text.slice(notDoneMark.length).trim();
}
