import type { Scene } from './scenes.js';
import type { Shop } from './shop.js';

/** How a scene ended. */
export interface SceneResult {
  readonly scene: Scene;
  readonly orderNo: string;
  readonly asItMust: boolean;
}

/** The closing table. */
export function report(shop: Shop, results: readonly SceneResult[]): string[] {
  const rows = results.map(({ scene, orderNo, asItMust }) => [
    asItMust ? 'ok' : 'WRONG',
    scene.title,
    orderNo,
    shop.store.find(orderNo)?.status ?? 'no order',
    lateness(shop, orderNo),
    shop.story(orderNo).at(-1) ?? 'nothing happened',
  ]);
  const table = [['', 'what', 'order', 'outcome', 'late, ms', 'last event'], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const complaints = results
    .filter((result) => !result.asItMust)
    .map(
      ({ scene, orderNo }) =>
        `"${scene.title}" must be ${list(scene.story)}; it was ${list(shop.story(orderNo))}`,
    );
  return [...lines, ...complaints];
}

/** How late each run of the handler started. */
function lateness(shop: Shop, orderNo: string): string {
  const runs = shop.timeline.of(orderNo).flatMap(({ lateMs }) => (lateMs === undefined ? [] : [lateMs]));
  return runs.length === 0 ? '-' : runs.join(', ');
}

const list = (story: readonly string[]): string => `[${story.join(' | ')}]`;
