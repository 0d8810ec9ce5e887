import { Group, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { allows } from '../../../lib/service/scopes.ts'
import { WriteButton } from '../../../ui/dialog/write-button.tsx'
import type { HostDetail } from '../host-usage.tsx'

/** Loaded at the first use. */
const SetStatus = lazy(async () => ({ default: (await import('./set-status.tsx')).SetStatus }))
const Evacuate = lazy(async () => ({ default: (await import('./evacuate.tsx')).Evacuate }))
const SetUsedFrom = lazy(async () => ({ default: (await import('./set-used-from.tsx')).SetUsedFrom }))
const SetAllocation = lazy(async () => ({ default: (await import('./set-allocation.tsx')).SetAllocation }))
const ReplaceHost = lazy(async () => ({ default: (await import('./replace-host.tsx')).ReplaceHost }))
const ForgetHost = lazy(async () => ({ default: (await import('./forget-host.tsx')).ForgetHost }))

type Action = 'status' | 'evacuate' | 'used-from' | 'allocation' | 'replace' | 'forget'

interface HostActionsProps {
  readonly host: HostDetail
  readonly scopes: readonly string[]
  onChanged(): void
  /** Called with the host's new name. */
  onRenamed(renamed: { readonly name: string; readonly node: string }): void
}

/** The actions on a host that is in the fleet. */
export function HostActions({ host, scopes, onChanged, onRenamed }: HostActionsProps) {
  const [open, setOpen] = useState<Action | undefined>()
  const close = (): void => setOpen(undefined)
  const done = (): void => {
    close()
    onChanged()
  }
  const button = (action: Action, label: string) => (
    <WriteButton size="compact-sm" variant="outline" onClick={() => setOpen(action)}>
      {label}
    </WriteButton>
  )
  return (
    <>
      <Group gap="xs" role="group" aria-label="Host actions">
        {allows(scopes, 'OPERATE') ? (
          <>
            {button('status', 'Set status')}
            {button('evacuate', 'Evacuate')}
            {button('allocation', 'Set ratio or reserve')}
            {mayCountByClaims(host)
              ? button('used-from', `Used amounts from ${host.usedFrom === 'REPORT' ? 'claims' : 'the report'}`)
              : null}
          </>
        ) : null}
        {allows(scopes, 'ADMIN') ? (
          <>
            {button('replace', 'Replace')}
            {button('forget', 'Forget')}
          </>
        ) : (
          <Text size="xs" c="dimmed" component="span">
            {allows(scopes, 'OPERATE')
              ? `(to replace or forget the host, a key needs ADMIN; your key has ${scopes.join(', ')})`
              : `(to set the status, a key needs OPERATE; to replace or forget the host, ADMIN; your key has ${scopes.join(', ')})`}
          </Text>
        )}
      </Group>
      <Suspense fallback={null}>
        {open === 'status' ? (
          <SetStatus
            hosts={[{ host: host.name, node: host.node, hasOtherNodes: host.hasOtherNodes }]}
            status={host.status}
            onClose={close}
            onDone={done}
          />
        ) : null}
        {open === 'evacuate' ? (
          <Evacuate host={host.name} node={host.node} hasOtherNodes={host.hasOtherNodes} onClose={close} onDone={onChanged} />
        ) : null}
        {open === 'used-from' ? <SetUsedFrom host={host} onClose={close} onDone={done} /> : null}
        {open === 'allocation' ? <SetAllocation host={host} onClose={close} onDone={done} /> : null}
        {open === 'replace' ? (
          <ReplaceHost
            host={host}
            onClose={close}
            onDone={(renamed) => {
              close()
              onRenamed(renamed)
            }}
          />
        ) : null}
        {open === 'forget' ? <ForgetHost host={host} onClose={close} onDone={done} /> : null}
      </Suspense>
    </>
  )
}

/**
 * True if the page offers the setting that computes the host's usage from claims: if the host's reports list no instances, or if the host
 * already has this setting.
 */
const mayCountByClaims = ({ usedFrom, warnings }: HostDetail): boolean =>
  usedFrom === 'CLAIMS' || warnings.some(({ code }) => code === 'use.no_instances')
