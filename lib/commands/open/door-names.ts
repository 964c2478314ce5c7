/** In the run folder of a door: where its socket is. */
export const doorFile = 'door';
export const doorPrefix = 'door-';
