import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../../lib/service/api.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ReasonInput } from '../../../ui/dialog/reason-input.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { READMIT } from './leaving-documents.ts'
import { refuse } from './leaving-impact.tsx'

interface ReadmitHostProps {
  /** The name under which reports are accepted again. */
  readonly host: { readonly host: string; readonly node?: string }
  readonly label: string
  /** The present name of a host that was replaced. */
  readonly formerNameOf?: string | undefined
  onClose(): void
  onDone(): void
}

/** The dialog to accept reports under the name of a forgotten host again, or to free a former name for another machine. */
export function ReadmitHost({ host, label, formerNameOf, onClose, onDone }: ReadmitHostProps) {
  const [reason, setReason] = useState('')
  const { problem, isBusy, make } = useChange()
  return (
    <Dialog title={`Readmit ${label}`} size="lg" onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm">
          {formerNameOf === undefined
            ? 'Reports under this name are accepted again. The host returns with its next full report, without its former claims and aggregates.'
            : `Another machine may report as ${label} afterwards, as a host of its own. ${formerNameOf} stays as it is.`}
        </Text>
        <ReasonInput value={reason} onChange={setReason} />
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => make(() => readmit(host, reason.trim()), onDone)} loading={isBusy} disabled={reason.trim() === ''}>
            Readmit
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

async function readmit(host: ReadmitHostProps['host'], reason: string): Promise<void> {
  const { hostReadmit: answer } = await request(READMIT, { host, reason })
  if (answer.__typename !== 'HostReadmitPayload') refuse(answer)
}
