/** The name of the instance that is meant when none is given. */
export const DEFAULT_NAME = 'default';
