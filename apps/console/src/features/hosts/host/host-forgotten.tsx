import { withTerm } from '@gantt/scheduler-core/query'
import { Alert, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { labelOfHost } from '../../../lib/host-label.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { allows } from '../../../lib/service/scopes.ts'
import { useAt } from '../../../lib/service/travel.ts'
import { Age } from '../../../ui/age.tsx'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { WriteButton } from '../../../ui/dialog/write-button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { FORGOTTEN_BY, FORMER_NAMES } from '../actions/leaving-documents.ts'
import { ReadmitHost } from '../actions/readmit-host.tsx'
import { readHostName } from '../host-row.ts'
import type { HostDetail } from '../host-usage.tsx'

interface HostForgottenProps {
  readonly host: HostDetail
  readonly gone: NonNullable<HostDetail['gone']>
  readonly scopes: readonly string[]
  onChanged(): void
}

/** The banner on the page of a forgotten host: when, by whom and why it was forgotten, and a button to readmit it. */
export function HostForgotten({ host, gone, scopes, onChanged }: HostForgottenProps) {
  const [isOpen, setOpen] = useState(false)
  const { data } = useOperation(FORGOTTEN_BY, { host: host.name, node: host.node })
  const edit = data?.host?.timeline.nodes[0]?.edit
  const label = labelOfHost(host)
  return (
    <Alert color="yellow" role="status" title="This host was forgotten" data-forgotten={gone.revision}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <Age atMs={Date.parse(gone.at)} ago />
          {edit ? (
            <>
              , by{' '}
              <AnchorLink
                underline="always"
                c="inherit"
                to="/audit"
                search={{ q: withTerm('', 'request', edit.requestId) }}
                size="sm"
                title="Audit row"
              >
                {edit.account}
              </AnchorLink>
            </>
          ) : null}
          : “{gone.reason}”. It no longer has capacity, claims or aggregates; its decisions and timeline stay.
        </Text>
        <Text size="sm">
          {gone.readmitted
            ? 'The host was readmitted. Its next full report adds it to the fleet again.'
            : 'Reports under its name are refused until it is readmitted.'}
        </Text>
        {gone.readmitted ? null : allows(scopes, 'ADMIN') ? (
          <WriteButton size="compact-sm" variant="outline" onClick={() => setOpen(true)}>
            Readmit
          </WriteButton>
        ) : (
          <Text size="xs" c="dimmed">
            (to readmit it a key needs ADMIN; yours has {scopes.join(', ')})
          </Text>
        )}
      </Stack>
      {isOpen ? (
        <ReadmitHost
          host={{ host: host.name, node: host.node }}
          label={label}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            onChanged()
          }}
        />
      ) : null}
    </Alert>
  )
}

interface CalledFormerlyProps {
  readonly host: HostDetail
  /** The former name of the host in the link that the operator followed. */
  readonly formerly: string
  readonly scopes: readonly string[]
  onChanged(): void
}

/** The notice on the page of a host that was opened by a link with a former name of the host. */
export function CalledFormerly({ host, formerly, scopes, onChanged }: CalledFormerlyProps) {
  const [isOpen, setOpen] = useState(false)
  const former = readHostName(formerly)
  const { data, refetch } = useOperation(FORMER_NAMES, { host: former.host, node: former.node ?? null })
  const isFree = data !== undefined && data.host?.id !== host.id
  const label = labelOfHost(host)
  return (
    <Alert color="blue" role="status" title={`${formerly} is called ${label} since it was replaced`} mb="sm" data-formerly={formerly}>
      <Group gap="xs">
        <Text size="sm">
          {isFree
            ? `This is the same machine, with its claims and its history. Another machine may now report as ${formerly}.`
            : `This is the same machine, with its claims and its history. Reports as ${formerly} are refused.`}
        </Text>
        {isFree || !allows(scopes, 'ADMIN') ? null : (
          <WriteButton size="compact-sm" variant="outline" onClick={() => setOpen(true)}>
            Let another machine use {formerly}
          </WriteButton>
        )}
      </Group>
      {isOpen ? (
        <ReadmitHost
          host={former}
          label={formerly}
          formerNameOf={label}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            void refetch()
            onChanged()
          }}
        />
      ) : null}
    </Alert>
  )
}

/**
 * The message that no host has this name. At a moment in the past, the host that has this name now can have had another name. The message
 * then links to that name.
 */
export function NoHost({ host, node, title }: { readonly host: string; readonly node?: string | undefined; readonly title: string }) {
  const isPast = useAt() !== undefined
  const { data } = useOperation(FORMER_NAMES, { host, node: node ?? null }, { enabled: isPast })
  const formerNames = data?.host?.formerNames ?? []
  return (
    <Empty title="Host not found">
      No host named {title} {isPast ? 'had reported then' : 'has reported'}.{' '}
      {formerNames.length === 0 ? null : (
        <>
          The host of that name was called{' '}
          {formerNames.map((name, i) => {
            const former = readHostName(name)
            return (
              <span key={name}>
                {i === 0 ? '' : ', then '}
                <AnchorLink
                  underline="always"
                  to="/hosts/$host"
                  params={{ host: former.host }}
                  search={former.node === undefined ? {} : { node: former.node }}
                >
                  {name}
                </AnchorLink>
              </span>
            )
          })}{' '}
          before.{' '}
        </>
      )}
      <AnchorLink to="/hosts">All hosts</AnchorLink>
    </Empty>
  )
}
