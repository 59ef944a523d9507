import type { Region } from '@delay-queue/core';
import { giveBack } from './scripts/give-back.js';
import type { ScriptTarget } from './script-runner.js';

/**
 * Claims whose answer was lost. They may hold messages that no handler knows of, so they are given back at the
 * next contact; if one is executed even later, its lease expires.
 */
export class LostClaims {
  readonly #tokens = new Map<string, { readonly region: Region; readonly tokens: Set<string> }>();

  /** Remembers one. */
  add(region: Region, token: string): void {
    const key = keyOf(region);
    const entry = this.#tokens.get(key) ?? { region, tokens: new Set() };
    entry.tokens.add(token);
    this.#tokens.set(key, entry);
  }

  /** The regions that have some. */
  regions(): readonly Region[] {
    return [...this.#tokens.values()].map(({ region }) => region);
  }

  /** Gives back those of a region; rejects as the call does, and remembers what it could not give back. */
  async giveBack(region: Region, target: ScriptTarget): Promise<void> {
    if (this.#tokens.size === 0) return;
    const key = keyOf(region);
    const entry = this.#tokens.get(key);
    if (entry === undefined) return;
    for (const token of entry.tokens) {
      await giveBack(target, token);
      entry.tokens.delete(token);
    }
    this.#tokens.delete(key);
  }
}

const keyOf = (region: Region): string => `${region.index} ${region.topic}`;
