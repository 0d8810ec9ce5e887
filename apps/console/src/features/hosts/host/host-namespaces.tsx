import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { Age } from '../../../ui/age.tsx'
import { Json } from '../../../ui/json.tsx'
import type { HostDetail } from '../host-usage.tsx'

type NamespaceReport = HostDetail['namespaces'][number]

/** A report of another service about the host: its number, its age, and its document. A document that could not be parsed is shown too. */
export function HostNamespace({ report }: { readonly report: NamespaceReport }) {
  const { document, lastSequence, problem } = report
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        Report {formatCount(lastSequence)}, <Since report={report} />
      </Text>
      {problem === null ? null : (
        <Text size="sm" c="red">
          This release cannot read it: {problem}
        </Text>
      )}
      <Json text={JSON.stringify(document, null, 2)} />
    </Stack>
  )
}

/** Shows the age of a document. Decisions compute the age by the time in the log. Decisions treat a document without a time as old. */
function Since({ report: { reportedAt, ageSeconds } }: { readonly report: NamespaceReport }): ReactNode {
  if (reportedAt === null) return 'time unknown, treated as old'
  return (
    <>
      <Age atMs={Date.parse(reportedAt)} ago />
      {ageSeconds === null ? null : `; ${formatCount(ageSeconds)} s old by the time of the log`}
    </>
  )
}
