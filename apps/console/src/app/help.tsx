import { Kbd, Modal, Switch } from '@mantine/core'
import { activeShortcuts } from '../lib/browser/keys.ts'
import { choose, usePreference } from '../lib/browser/preferences.ts'
import { SmallTable } from '../ui/table/small-table.tsx'

/** The help with all shortcuts of the page. */
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
