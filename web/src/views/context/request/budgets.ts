/** The steps of the budget slider: each a third or a half larger than the one before. Pure. */
export const BUDGETS = [
  64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
] as const satisfies readonly number[];

/** Returns the step closest to a budget, by ratio. */
export function stopOf(budget: number): number {
  const distances = BUDGETS.map((stop) => Math.abs(Math.log(stop / Math.max(budget, 1))));
  return distances.indexOf(Math.min(...distances));
}

export function budgetAt(stop: number): number {
  const last = BUDGETS.length - 1;
  return BUDGETS[Math.min(Math.max(Math.round(stop), 0), last)] ?? BUDGETS[last] ?? 0;
}
