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
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        Report {formatCount(lastSequence)}, <Since report={report} />
      </Text>
      {collector === undefined ? null : <UnsentNote collector={collector} hasDocument />}
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

interface UnsentNoteProps {
  readonly collector: HostDetail['collectors'][number]
  /** True if the host has a document of the namespace. */
  readonly hasDocument: boolean
}

/** Says that a namespace is not sent, or that this is not known since the agent last reported the state of its collector. */
export function UnsentNote({ collector, hasDocument }: UnsentNoteProps) {
  const { name, outdated, reportedAt } = collector
  const note = unsentNote(collector, name, hasDocument)
  if (note === undefined) return null
  return (
    <Text size="sm">
      {outdated ? (
        <>
          The agent has not repeated the state of this collector since <Age atMs={Date.parse(reportedAt)} ago />.{' '}
        </>
      ) : null}
      {note}
    </Text>
  )
}

/** The collectors of the host that do not send their namespaces, and of whose namespaces the host has no document. */
export const unsentNamespaces = ({
  collectors,
  namespaces,
}: Pick<HostDetail, 'collectors' | 'namespaces'>): readonly HostDetail['collectors'][number][] =>
  collectors.filter(
    (collector) =>
      !namespaces.some(({ namespace }) => namespace === collector.namespace) && unsentNote(collector, collector.name, false) !== undefined,
  )
