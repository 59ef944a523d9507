/** What both sides store: text that takes 100 bytes once it is encoded as JSON. */
export const CONTENT = 'x'.repeat(98);

/** An id of 20 bytes. */
export const idOf = (index: number): string => `order-${index}`.padEnd(20, '-');
