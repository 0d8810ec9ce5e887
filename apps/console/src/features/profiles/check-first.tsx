import { Alert, Text } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { useLatest } from '../../lib/service/use-latest.ts'
import { useRun } from '../../lib/service/use-run.ts'
import { Problem } from '../../ui/problem.tsx'
import { CHECK } from './documents.ts'
import { durationOf } from './search.ts'

interface CheckFirstProps {
  readonly name: string
  /** The number of the active version. */
  readonly active: number
  /** The number of the version to be activated. */
  readonly number: number
  onChecked(): void
}

/**
 * Decides requests of the last hour again with a version that never had a rollout. The operator must see the result before activating the
 * version. Versions are never edited, so a result stays valid.
 */
export function CheckFirst({ name, active, number, onChecked }: CheckFirstProps) {
  const variables = useMemo(
    () => ({ baseline: `${name}@${active}`, candidate: { version: `${name}@${number}` }, window: durationOf('1h'), sample: 200 }),
    [name, active, number],
  )
  const { data, error, isRunning, run } = useRun(CHECK, variables)
  const checked = useLatest(onChecked)
  useEffect(() => {
    if (data !== undefined) checked.current()
  }, [data, checked])
  if (error) return <Problem error={error} onRetry={run} />
  if (data === undefined || isRunning)
    return (
      <Text size="sm" role="status">
        This version was never tried, so requests of the last hour are being decided with it first.
      </Text>
    )
  const { newFailures, text } = data.compareProfiles
  return (
    <Alert color={newFailures > 0 ? 'red' : 'gray'} role="status" title="Effect on requests of the last hour" data-checked={newFailures}>
      <Text size="sm">{text}</Text>
    </Alert>
  )
}
