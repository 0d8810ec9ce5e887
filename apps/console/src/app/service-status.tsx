import { Badge, Group, Text, Tooltip } from '@mantine/core'
import { useEffect } from 'react'
import { readDuration } from '../lib/format.ts'
import { useOperation } from '../lib/service/api.ts'
import { graphql } from '../lib/service/graphql.ts'
import { useSession } from '../lib/service/session.ts'
import { contact, useSilence } from '../lib/service/use-freshness.ts'
import { statusOf } from './status-of.ts'

const SERVICE_STATUS = graphql(`
  query ServiceStatus {
    health { mode reason replica stateAge violations checkedAge cleanSince cleanLooks }
  }
`)

/**
 * The interval in milliseconds at which the service is asked for its state. After three seconds without any message, the page shows "No
 * updates".
 */
const EVERY_MS = 1_000
/** The timeout in milliseconds for an answer of the service. */
const DEADLINE_MS = 5_000

/** The state of the service on every page: its mode, and the latest findings of its auditor. */
export function ServiceStatus() {
  const { key } = useSession()
  const { data, error, dataUpdatedAt } = useOperation(
    SERVICE_STATUS,
    {},
    { enabled: key !== undefined, everyMs: EVERY_MS, deadlineMs: DEADLINE_MS },
  )
  const stateAge = data?.health.stateAge
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new answer counts, even if it has the same age as the last one
  useEffect(() => {
    if (stateAge !== undefined) contact.heard(readDuration(stateAge))
  }, [stateAge, dataUpdatedAt])
  const silence = useSilence()
  if (key === undefined || (data === undefined && error === null && silence === undefined)) return null
  const { label, since, age, colour, text } = statusOf(error === null ? data?.health : undefined, silence)
  return (
    <Tooltip label={text} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      <Group gap={6} wrap="nowrap" role="status" aria-label={`Service: ${label}. ${text}`} data-service-status={label} tabIndex={0}>
        <Badge variant="light" color={colour}>
          {label}
          {/* a screen reader must not read out a number that changes each second */}
          {since === undefined ? null : <span aria-live="off"> {since}</span>}
        </Badge>
        {age === undefined ? null : (
          <Text size="xs" c="dimmed" visibleFrom="md" aria-live="off" style={{ whiteSpace: 'nowrap' }}>
            {age}
          </Text>
        )}
      </Group>
    </Tooltip>
  )
}
