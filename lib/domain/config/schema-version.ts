/** In a file of its own: who only compares it loads no schema. */
export const supportedSchemaVersion = 2;
