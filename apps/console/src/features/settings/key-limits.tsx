import { Group, Skeleton } from '@mantine/core'
import { useState } from 'react'
import { formatCount, formatDuration, readDuration } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { KEY_LIMITS } from './documents.ts'
import { EditKeyLimits } from './edit-key-limits.tsx'

/** How many idempotency keys of ended claims are kept at most, and for how long. */
export function KeyLimits() {
  const { data, error, refetch } = useOperation(KEY_LIMITS, {}, { staleMs: 10_000 })
  const [isEditing, setEditing] = useState(false)
  if (data === undefined)
    return error ? (
      <Problem error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={120} role="status" aria-label="Limits of idempotency keys are being loaded" />
    )
  const { cap, afterlife, endedKeys, keptKeys } = data.keyLimits
  return (
    <>
      <Facts>
        <Fact term="Keys of ended claims, at most">{formatCount(cap)}</Fact>
        <Fact term="Kept after their last claim has ended">{formatDuration(readDuration(afterlife))}</Fact>
        <Fact term="Kept now">
          {formatCount(endedKeys)} ended, and {formatCount(keptKeys - endedKeys)} of live claims, which do not count
        </Fact>
      </Facts>
      <Group mt="xs">
        <WriteButton size="xs" variant="default" onClick={() => setEditing(true)}>
          Change the limits
        </WriteButton>
      </Group>
      {isEditing ? <EditKeyLimits limits={data.keyLimits} onClose={() => setEditing(false)} /> : null}
    </>
  )
}
