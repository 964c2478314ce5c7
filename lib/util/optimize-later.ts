/**
 * Has V8 make machine code of what runs often fifteen times as late as it would: processes that race for a second or
 * two spend a third of their time on code that pays for itself after that. What runs for long becomes as quick. V8 then
 * refuses what it compiled before with other flags, so what is kept beside the program has to be loaded by now.
 */
export async function optimizeLater(): Promise<void> {
  // Loaded when first needed, as it takes some milliseconds.
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--interrupt-budget=1000000');
}
