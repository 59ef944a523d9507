/** The options as given, in the core module of one instance; not exported from it. */
export const OPTIONS = 'delay-queue:options';

/** The options after a first look: an object, without a name of their own; not exported. */
export const CHECKED_OPTIONS = 'delay-queue:checked-options';

/** The resolved `DelayQueueProperties` of one instance; not exported. */
export const PROPERTIES = 'delay-queue:properties';

/** The runtime of the core module's own instance; not exported. */
export const OWN_RUNTIME = 'delay-queue:runtime';

/** The runtime of the instance `name`, for the module around the core. */
export const runtimeToken = (name: string): string => `${OWN_RUNTIME}:${name}`;
