import { Code, Stack } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { firstHostCommand, newUuid } from './first-host.ts'
import { useForgottenCount } from './forgotten-hosts.tsx'

/** The page that is shown until the first host reports. It explains how to send a report. */
export function EmptyFleet() {
  const [incarnation] = useState(newUuid)
  const forgotten = useForgottenCount(0)
  const command = firstHostCommand(location.origin, incarnation)
  if (forgotten > 0)
    return (
      <Empty title="No hosts remain">
        All reported hosts were forgotten: {formatCount(forgotten)}. A readmitted host returns with its next full report.
      </Empty>
    )
  return (
    <Empty title="No host has reported yet">
      <Stack gap="sm" align="center">
        <span>
          This page shows each host as soon as its first report arrives. To report a first host, set <Code>GANTT_KEY</Code> to an API key
          with the scope REPORT, and run this command in a terminal:
        </span>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so it must be reachable with the keyboard */}
        <pre className="command" tabIndex={0}>
          {command}
        </pre>
        <CopyButton text={command}>Copy the command</CopyButton>
      </Stack>
    </Empty>
  )
}
