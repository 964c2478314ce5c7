/** File in a run folder that holds the socket's path. */
export const questionSocketFile = 'door';
export const questionSocketPrefix = 'door-';
