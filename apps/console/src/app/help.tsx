import { Kbd, Modal, Switch } from '@mantine/core'
import { activeShortcuts } from '../lib/keys.ts'
import { choose, usePreference } from '../lib/preferences.ts'
import { SmallTable } from '../ui/small-table.tsx'

/** What every key does on this page. */
export function Help({ opened, onClose }: { readonly opened: boolean; onClose(): void }) {
  const areOn = usePreference('shortcuts') === 'on'
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Switch
        label="Single-key shortcuts"
        checked={areOn}
        mb="sm"
        onChange={({ currentTarget: { checked } }) => choose('shortcuts', checked ? 'on' : 'off')}
      />
      <SmallTable
        label="Keyboard shortcuts"
        isBare
        rows={[{ keys: 'Ctrl K', label: 'Search and go' }, ...(opened ? activeShortcuts() : [])]}
        rowKey={({ keys }) => keys}
        columns={[
          {
            head: 'Key',
            cell: ({ keys }) =>
              keys.split(' ').map((key) => (
                <Kbd key={key} mr={4}>
                  {key}
                </Kbd>
              )),
          },
          { head: 'Action', cell: ({ label }) => label },
        ]}
      />
    </Modal>
  )
}
