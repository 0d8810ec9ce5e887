import { withTerm } from '@gantt/scheduler-core/query'
import { Button, Card, Code, Group, Text } from '@mantine/core'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ScrollBox } from '../../ui/table/scroll-box.tsx'
import { type AuditRow, argumentsOf } from './rows.ts'

/** All fields of one row of the audit, with links to all rows with the same key, account or request. */
export function AuditEntry({ entry, onClose }: { readonly entry: AuditRow; onClose(): void }) {
  const { seq, at, account, keyId, mutation, target, result, requestId, hash, previous } = entry
  const zone = useTimeZone()
  const text = argumentsOf(entry)
  useShortcuts([{ keys: 'Escape', label: 'Close the row', run: onClose }])
  const like = (field: string, value: string) => (
    <AnchorLink size="sm" to="/audit" search={{ q: withTerm('', field, value) }} title={`All rows with this ${field}`}>
      {value}
    </AnchorLink>
  )
  return (
    <Card withBorder p="xs" mb="xs" component="section" aria-label={`Row ${seq} of the audit`} data-entry={seq}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text size="sm" component="div" className="running-text" style={{ overflowWrap: 'anywhere' }}>
          <b>{mutation}</b> {target === '' ? 'without a target' : `of ${target}`} by {like('account', account)} (key {like('key', keyId)})
          ended with {result},{' '}
          <AnchorLink size="sm" to="/hosts" search={{ at }} title={`The fleet as it was then, ${titleOfTime(at)}`}>
            {formatTime(at, zone)}
          </AnchorLink>
          , in request {like('request', requestId)}.
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={onClose} title="Esc">
          Close
        </Button>
      </Group>
      <ScrollBox label="Arguments" maxHeight="200px">
        <Code block>{text}</Code>
      </ScrollBox>
      <Group justify="space-between">
        <Text size="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
          hash {hash}; of the row before {previous}
        </Text>
        <CopyButton text={JSON.stringify(entry, null, 2)}>Copy as JSON</CopyButton>
      </Group>
    </Card>
  )
}
