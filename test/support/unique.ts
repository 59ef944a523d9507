import { randomUUID } from 'node:crypto';

/** A namespace that no other test uses. */
export const uniqueNamespace = (): string => `test-${randomUUID().slice(0, 8)}`;
