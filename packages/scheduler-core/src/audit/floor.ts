/** floor(amount x ratio), ratio in thousandths; exact as long as the product is, and by big integers beyond. */
export function floorOf(amount: number, ratioMilli: number): number {
  const product = Math.max(0, amount) * ratioMilli
  return Number.isSafeInteger(product) ? Math.floor(product / 1_000) : Number((BigInt(Math.max(0, amount)) * BigInt(ratioMilli)) / 1_000n)
}
