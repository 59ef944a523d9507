// Taken at load: fake timers that a test installs later must not stop the engine.
const afterIo = setImmediate;

/** Resolves in the next turn of the event loop, after pending I/O and timers had their chance. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    afterIo(resolve);
  });
}
