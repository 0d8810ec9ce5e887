import { FaultError, UnreachableError } from '@gantt/client'
import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { usePreview } from '../lib/service/use-preview.ts'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { NeedsScope } from '../ui/dialog/needs-scope.tsx'
import { Effects, PreviewDialog } from '../ui/dialog/preview-dialog.tsx'
import { ReasonInput } from '../ui/dialog/reason-input.tsx'
import { Cancelled, Running } from '../ui/dialog/running.tsx'
import { Empty } from '../ui/empty.tsx'
import { FieldChanges } from '../ui/field-changes.tsx'
import { NoMatch } from '../ui/filter/no-match.tsx'
import { LiveBadge, Page } from '../ui/page.tsx'
import { PathList } from '../ui/path-list.tsx'
import { Problem } from '../ui/problem.tsx'
import { Stale } from '../ui/stale.tsx'
import { LONG, NOW, nothing } from './samples.ts'
import type { Story } from './story.ts'

const fault = (code: string, message: string) => new FaultError([{ message, extensions: { code, requestId: 'req-77ab' } }], 200)

function Asked() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Ask</Button>
      {isOpen ? (
        <Dialog title={LONG} onClose={() => setOpen(false)}>
          <TextInput label="Reason" data-autofocus />
          <Text>{LONG}</Text>
        </Dialog>
      ) : null}
    </>
  )
}

interface PreviewedProps {
  readonly button: string
  step(dryRun: boolean): Promise<readonly string[]>
}

function Previewed({ button, step }: PreviewedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{button}</Button>
      {isOpen ? <PreviewedDialog step={step} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function PreviewedDialog({ step, onClose }: Pick<PreviewedProps, 'step'> & { onClose(): void }) {
  const [reason, setReason] = useState('')
  const change = usePreview<readonly string[]>()
  return (
    <PreviewDialog
      title="Set the status of rack-1"
      change={change}
      isReady={reason.trim() !== ''}
      previewLabel="Preview the impact"
      makeLabel="Set to disabled"
      step={step}
      onClose={onClose}
      onDone={onClose}
    >
      <ReasonInput value={reason} onChange={change.edit(setReason)} />
      {change.effect === undefined ? null : <Effects sentences={change.effect} />}
    </PreviewDialog>
  )
}

/** The messages of a page without content, with an error, or with a question. */
export const messages: readonly Story[] = [
  { of: 'dialog', states: { 'opened by its button': <Asked /> } },
  {
    of: 'preview-dialog',
    states: {
      'a preview that succeeds': <Previewed button="Set" step={async () => ['The change affects 1 host with 2 live claims.', LONG]} />,
      'a preview that is refused': <Previewed button="A change that is refused" step={async () => Promise.reject(new Error(LONG))} />,
    },
  },
  {
    of: 'reason-input',
    states: {
      usual: <ReasonInput value="The board is ordered" shown="shown with the host" isFirst={false} onChange={nothing} />,
      disabled: <ReasonInput value="" disabled isFirst={false} onChange={nothing} />,
    },
  },
  { of: 'empty', states: { 'a title alone': <Empty title="No claims" />, 'the next step': <Empty title="No claims">{LONG}</Empty> } },
  {
    of: 'field-changes',
    states: {
      usual: (
        <FieldChanges
          label="What an edit changed"
          sides={['Was', 'Is']}
          changes={[
            { field: 'metadata.ssd', before: null, after: 'true' },
            { field: 'name', before: 'rack-1', after: null },
            { field: 'note', before: 'short', after: LONG },
          ]}
        />
      ),
      none: <FieldChanges label="What an edit changed" empty="Nothing differs." sides={['Was', 'Is']} changes={[]} />,
    },
  },
  {
    of: 'path-list',
    states: {
      usual: (
        <PathList label="Paths" paths={['flavor.extraSpecs.hw:cpu_policy', 'availabilityZone', LONG]}>
          Nobody reads
        </PathList>
      ),
      none: (
        <PathList label="Paths" paths={[]}>
          Nobody reads
        </PathList>
      ),
    },
  },
  { of: 'needs-scope', states: { usual: <NeedsScope what="the rows of the audit" scope="ADMIN" scopes={['READ', 'REPORT']} /> } },
  {
    of: 'no-match',
    states: {
      usual: <NoMatch one="claim" filter="state:reserved" onClear={nothing} />,
      'with a note': (
        <NoMatch one="decision" filter={LONG} onClear={nothing}>
          Explanations are kept seven days.
        </NoMatch>
      ),
    },
  },
  {
    of: 'page',
    states: {
      'with its feeds': (
        <Page
          title="Hosts"
          aside={(['off', 'connecting', 'live', 'silent', 'lost'] as const).map((state) => <LiveBadge key={state} state={state} />)}
        >
          What the page shows.
        </Page>
      ),
    },
  },
  {
    of: 'problem',
    states: {
      'the service refused': <Problem error={fault('BAD_USER_INPUT', 'first is 5000; it must be 1000 or less.')} onRetry={nothing} />,
      'a scope is missing': <Problem error={fault('FORBIDDEN', 'ADMIN is needed; the key has READ.')} />,
      'no service answers': <Problem error={new UnreachableError('fetch failed')} onRetry={nothing} />,
      'an error of the page': <Problem error={new Error(LONG)} />,
    },
  },
  {
    of: 'stale',
    states: {
      'as it is': (
        <Stale error={null} atMs={NOW}>
          412 hosts
        </Stale>
      ),
      'could not be read again': (
        <Stale error={new Error(LONG)} atMs={NOW}>
          412 hosts
        </Stale>
      ),
      'of something else': (
        <Stale error={null} atMs={0} isOther>
          412 hosts
        </Stale>
      ),
    },
  },
  {
    of: 'running',
    states: {
      running: <Running label="10,000 hosts are being checked" onCancel={nothing} />,
      cancelled: <Cancelled label="The check was cancelled." onRun={nothing} />,
    },
  },
]
