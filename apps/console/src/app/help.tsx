import { Kbd, Modal, Switch, Table } from '@mantine/core'
import { activeShortcuts } from '../lib/keys.ts'
import { choose, usePreference } from '../lib/preferences.ts'
import { Heads } from '../ui/heads.tsx'

/** What every key does on this page. */
export function Help({ opened, onClose }: { readonly opened: boolean; onClose(): void }) {
  const areOn = usePreference('shortcuts') === 'on'
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" size="lg">
      <Switch
        label="Single-key shortcuts"
        checked={areOn}
        mb="sm"
        onChange={({ currentTarget: { checked } }) => choose('shortcuts', checked ? 'on' : 'off')}
      />
      <Table>
        <Heads names={['Key', 'What it does']} />
        <Table.Tbody>
          {[{ keys: 'Ctrl K', label: 'Search and go' }, ...(opened ? activeShortcuts() : [])].map(({ keys, label }) => (
            <Table.Tr key={keys}>
              <Table.Td>
                {keys.split(' ').map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{label}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
