import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import type { Made } from './key.ts'

/** The dialog with the secret of a new key. The secret is shown only once, so the dialog can only be closed by its button. */
export function Secret({ made: { secret, key }, onClose }: { readonly made: Made; onClose(): void }) {
  return (
    <Dialog
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      title={`The secret of ${key.name}`}
      size="lg"
    >
      <Stack gap="sm">
        <Alert color="yellow" title="This secret is shown only once">
          The service keeps only its hash. Copy it now to where {key.account} reads it.
        </Alert>
        <Group gap="xs" wrap="nowrap">
          <Code data-secret style={{ overflowWrap: 'anywhere' }}>
            {secret}
          </Code>
          <CopyButton text={secret ?? ''}>Copy</CopyButton>
        </Group>
        <Text size="sm" c="dimmed">
          It is sent with every call: <Code>Authorization: Bearer</Code> and the secret.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied the secret</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
