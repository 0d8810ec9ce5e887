import { Badge, Group, Text, Tooltip } from '@mantine/core'
import { useOperation } from '../lib/api.ts'
import { graphql } from '../lib/graphql.ts'
import { useSession } from '../lib/session.ts'
import { standingOf } from './standing-of.ts'

const STANDING = graphql(`
  query Standing {
    health { mode reason replica stateAge violations checkedAge }
  }
`)

const EVERY_MS = 5_000

/** How the service stands, on every page: what it can do, and what its auditor found when it last looked at everything. */
export function Standing() {
  const { key } = useSession()
  const { data, error } = useOperation(STANDING, {}, { enabled: key !== undefined, everyMs: EVERY_MS })
  if (data === undefined && error === null) return null
  const { label, age, colour, text } = standingOf(error === null ? data?.health : undefined)
  return (
    <Tooltip label={text} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      <Group gap={6} wrap="nowrap" role="status" aria-label={`Service: ${label}. ${text}`} data-standing={label} tabIndex={0}>
        <Badge variant="light" color={colour}>
          {label}
        </Badge>
        {age === undefined ? null : (
          <Text size="xs" c="dimmed" visibleFrom="md" style={{ whiteSpace: 'nowrap' }}>
            {age}
          </Text>
        )}
      </Group>
    </Tooltip>
  )
}
