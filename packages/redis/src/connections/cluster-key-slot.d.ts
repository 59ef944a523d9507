declare module 'cluster-key-slot' {
  /** The slot of a key, by its hash tag if it has one. */
  export default function calculateSlot(key: string | Buffer): number;
}
