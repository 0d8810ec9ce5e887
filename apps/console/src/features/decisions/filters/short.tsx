import { Text } from '@mantine/core'
import { readableAmount } from '../facts.ts'
import type { Shortfall } from './shortfalls.ts'

/** Shows the smallest and the largest missing amount of the hosts that were refused for one reason. */
export const Short = ({ shortfall }: { readonly shortfall: Shortfall }) => (
  <Text size="xs" c="dimmed" component="span">
    {shortfallInWords(shortfall)}
  </Text>
)

export const amountInWords = (amount: number, unit: string): string => readableAmount(String(amount), unit)

export const shortfallInWords = ({ smallest, largest, unit }: Shortfall): string =>
  smallest === largest
    ? `short by ${amountInWords(smallest, unit)}`
    : `short by ${amountInWords(smallest, unit)} to ${amountInWords(largest, unit)}`
