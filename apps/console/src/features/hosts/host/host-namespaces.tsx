import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { Age } from '../../../ui/age.tsx'
import { Json } from '../../../ui/json.tsx'
import type { HostDetail } from '../host-usage.tsx'
import { unsentNote } from './collector-state.ts'

type NamespaceReport = HostDetail['namespaces'][number]

interface HostNamespaceProps {
  readonly report: NamespaceReport
  /** The collector of the host's agent that sends the document. Undefined if another service sends it. */
  readonly collector: HostDetail['collectors'][number] | undefined
}

/** A report of another service about the host: its number, its age, and its document. A document that could not be parsed is shown too. */
export function HostNamespace({ report, collector }: HostNamespaceProps) {
  const { document, lastSequence, problem } = report
  const note = collector === undefined ? undefined : unsentNote(collector, collector.name, true)
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        Report {formatCount(lastSequence)}, <Since report={report} />
      </Text>
      {note === undefined ? null : <Text size="sm">{note}</Text>}
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
      {ageSeconds === null ? null : `; ${formatCount(ageSeconds)} s old, according to the time of the log`}
    </>
  )
}

/** The namespaces that the host's collectors produce but do not send, and of which the host has no document, each with a sentence. */
export const unsentNamespaces = ({
  collectors,
  namespaces,
}: Pick<HostDetail, 'collectors' | 'namespaces'>): readonly { readonly namespace: string; readonly note: string }[] =>
  collectors.flatMap((collector) => {
    const note = namespaces.some(({ namespace }) => namespace === collector.namespace)
      ? undefined
      : unsentNote(collector, collector.name, false)
    return note === undefined ? [] : [{ namespace: collector.namespace, note }]
  })
