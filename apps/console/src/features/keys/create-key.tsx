import { Alert, Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { queryClient, request } from '../../lib/service/api.ts'
import { serviceNow } from '../../lib/service/clock.ts'
import { useChange } from '../../lib/service/use-change.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { CREATE } from './documents.ts'
import { endOf, type Made, readDays, readMaxNodes, refusalOf, roles, type ScopeName } from './key.ts'

interface CreateKeyProps {
  onClose(): void
  onDone(made: Made): void
}

/** The dialog to create a key for a service account. After a refusal, the dialog stays open with its input. */
export function CreateKey({ onClose, onDone }: CreateKeyProps) {
  const [fields, setFields] = useState({ name: '', account: '', days: '90', hosts: '', maxNodes: '', project: '' })
  const [scopes, setScopes] = useState<readonly ScopeName[]>([])
  const [refusal, setRefusal] = useState<readonly string[]>([])
  const { problem, isBusy, make } = useChange()
  const days = readDays(fields.days)
  const maxNodes = readMaxNodes(fields.maxNodes)
  const isWhole =
    fields.name.trim() !== '' && fields.account.trim() !== '' && scopes.length > 0 && !('wrong' in days) && !('wrong' in maxNodes)
  const write = (field: keyof typeof fields) => ({
    value: fields[field],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }): void =>
      setFields((before) => ({ ...before, [field]: value })),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isWhole || 'wrong' in days || 'wrong' in maxNodes) return
    setRefusal([])
    const hosts = fields.hosts.split(/[\s,;]+/).filter((name) => name !== '')
    const input = {
      name: fields.name.trim(),
      account: fields.account.trim(),
      scopes: [...scopes],
      expiresAt: endOf(days.days, serviceNow()),
      hosts: hosts.length === 0 ? null : hosts,
      maxNodes: maxNodes.maxNodes,
      project: fields.project.trim() || null,
    }
    make(
      () => request(CREATE, { input }),
      ({ apiKeyCreate: answer }) => {
        if (answer.__typename !== 'ApiKeyPayload') setRefusal(refusalOf(answer))
        else {
          void queryClient.invalidateQueries()
          onDone(answer)
        }
      },
    )
  }
  return (
    <Dialog onClose={onClose} title="Create a key" size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput label="Name" description="Shown in lists of keys." required maxLength={255} data-autofocus {...write('name')} />
          <TextInput
            label="Account"
            description="The service account: claims and idempotency keys belong to it. It exists as long as it has keys."
            required
            maxLength={255}
            {...write('account')}
          />
          <Checkbox.Group label="Scopes" required value={[...scopes]} onChange={(next) => setScopes(next as ScopeName[])}>
            <Stack gap={4} mt={4}>
              {roles.map(({ scope, does }) => (
                <Checkbox key={scope} value={scope} label={scope} description={does} />
              ))}
            </Stack>
          </Checkbox.Group>
          <TextInput
            label="Expires after days"
            description="Empty: never."
            inputMode="numeric"
            error={'wrong' in days ? days.wrong : undefined}
            {...write('days')}
          />
          <Textarea
            label="Only for these hosts"
            description="Possible only if REPORT is the only scope. Names separated by spaces, commas or line breaks. If empty, the key may report any host."
            rows={2}
            {...write('hosts')}
          />
          <TextInput
            label="Maximum number of nodes per host"
            description="For hosts with several nodes, such as those that manage bare metal; existing nodes count. Empty: 1."
            inputMode="numeric"
            error={'wrong' in maxNodes ? maxNodes.wrong : undefined}
            {...write('maxNodes')}
          />
          <TextInput label="Only for this project" description="For READ, SCHEDULE and CLAIM. Empty: any project." {...write('project')} />
          {refusal.length === 0 ? null : (
            <Alert color="red" title="The key cannot be created" role="alert">
              {refusal.map((message) => (
                <div key={message}>{message}</div>
              ))}
            </Alert>
          )}
          {problem === undefined ? null : <Problem error={problem} />}
          <Group justify="flex-end">
            <Button variant="subtle" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isWhole}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
