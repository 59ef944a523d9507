/**
 * After the drain time the last verdicts and sends may take so long together, in milliseconds. With
 * the engine's goodbye a stop ends within a second after the drain time, whatever state the store is in.
 */
export const LAST_WORDS_MS = 500;
