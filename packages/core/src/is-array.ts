/** `Array.isArray`, for values whose type already says so but came from a user. */
export const isArray = (value: unknown): boolean => Array.isArray(value);
