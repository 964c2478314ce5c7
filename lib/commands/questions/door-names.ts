/** File in a run folder that holds the socket's path. */
export const doorFile = 'door';
export const doorPrefix = 'door-';
