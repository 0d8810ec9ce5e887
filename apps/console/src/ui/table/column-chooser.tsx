import { Button, Checkbox, Popover, Stack, TextInput } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useListGo, useListSearchNow } from '../../lib/browser/list-search.ts'
import { columnsOf, layoutOf, setWidth, shownColumns, useColumnLayout, withColumn } from './columns.ts'
import type { TableColumn } from './table.tsx'
import './column-chooser.css'

interface ColumnChooserProps<Row> {
  /** The name of the list for its stored layout. */
  readonly list: string
  /** All columns that the list can have. */
  readonly columns: readonly TableColumn<Row>[]
}

/**
 * A menu to select the columns of a list and their widths. The columns are stored in the URL, so that links have them, and in this browser.
 */
export function ColumnChooser<Row>({ list, columns }: ColumnChooserProps<Row>) {
  const layout = useColumnLayout(list)
  const kept = columnsOf(list)
  const go = useListGo()
  const searchNow = useListSearchNow()
  const shown = shownColumns(columns, layout)

  const show = (keys: readonly string[] | undefined): void => {
    const { widths } = kept.get()
    kept.set(keys === undefined ? { widths } : { shown: keys, widths })
    go({ cols: keys?.join(',') })
  }
  return (
    <Popover position="bottom-end" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button size="compact-sm" variant="subtle" leftSection={<IconColumns3 size={14} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns" p="xs">
        <Stack gap={2} className="g-columns">
          {columns.map((column, i) => {
            const name = column.label === '' ? column.key : column.label
            const isShown = shown.some(({ key }) => key === column.key)
            return (
              <div key={column.key}>
                <Checkbox
                  size="xs"
                  label={name}
                  title={column.title}
                  checked={isShown}
                  // the first column names the row and is always shown
                  disabled={i === 0}
                  onChange={({ currentTarget: { checked } }) =>
                    show(withColumn(columns, layoutOf(searchNow().cols, kept.get()), column.key, checked))
                  }
                />
                <WidthInput
                  label={`Width of ${name}, pixels`}
                  width={layout.widths[column.key]}
                  isOff={!isShown}
                  onSet={(width) => setWidth(list, column.key, width)}
                />
              </div>
            )
          })}
          <Button
            size="compact-sm"
            variant="outline"
            mt={6}
            onClick={() => {
              kept.set({ widths: {} })
              go({ cols: undefined })
            }}
          >
            Reset
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

interface WidthInputProps {
  readonly label: string
  /** The width that the user has set, in pixels. Undefined for the default width. */
  readonly width: number | undefined
  readonly isOff: boolean
  onSet(width: number | undefined): void
}

/** A number input that applies its value on Enter or blur. */
function WidthInput({ label, width, isOff, onSet }: WidthInputProps) {
  const said = String(width ?? '')
  const [text, setText] = useState(said)
  useEffect(() => setText(said), [said])
  const take = (): void => {
    if (text === said) return
    onSet(text === '' ? undefined : Number(text))
    // widths beyond the limits are clamped
    setText(said)
  }
  return (
    <TextInput
      size="xs"
      type="number"
      aria-label={label}
      placeholder="width"
      disabled={isOff}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={take}
      onKeyDown={({ key }) => key === 'Enter' && take()}
    />
  )
}
