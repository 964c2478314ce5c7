import { createClient } from 'redis';

/** Keeps the counts in Redis, so that all servers share them. */
export const openStore = (url) => createClient({ url }).connect();
