/** floor(amount x ratio), with the ratio in thousandths. Products above the safe integers are computed with BigInt. */
export function floorOf(amount: number, ratioMilli: number): number {
  const product = Math.max(0, amount) * ratioMilli
  return Number.isSafeInteger(product) ? Math.floor(product / 1_000) : Number((BigInt(Math.max(0, amount)) * BigInt(ratioMilli)) / 1_000n)
}
