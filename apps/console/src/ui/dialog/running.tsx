import { Alert, Button, Group, Loader, Text } from '@mantine/core'

interface RunningProps {
  readonly label: string
  onCancel(): void
}

/** Shows that a computation runs, with a button to stop it. */
export function Running({ label, onCancel }: RunningProps) {
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{label}</Text>
      <Button size="compact-sm" variant="outline" onClick={onCancel} title="Esc">
        Cancel
      </Button>
    </Group>
  )
}

export function Cancelled({ label, onRun }: { readonly label: string; onRun(): void }) {
  return (
    <Alert color="gray" title={label} role="status" p="xs">
      <Button size="compact-sm" variant="outline" onClick={onRun}>
        Run anyway
      </Button>
    </Alert>
  )
}
