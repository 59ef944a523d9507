/** A promise that rejects with what was caught: for functions that must not be `async`, for speed. */
export function rejected(error: Error): Promise<never> {
  return Promise.reject(error);
}
