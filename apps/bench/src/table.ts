/** Rows of cells as aligned lines; the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ');
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}

/** A whole number with thousands separated. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
