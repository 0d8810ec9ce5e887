import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { saveFile } from '../../lib/browser/save-file.ts'
import { formatCount } from '../../lib/format.ts'
import type { ReadOptions, Sheet } from '../../lib/read-rows.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { Problem } from '../problem.tsx'

export interface SaveRowsProps {
  /** Name of the file. */
  readonly file: string
  /** The plural noun for the rows, such as "claims". */
  readonly many: string
  /** The count of rows. */
  readonly total: number
  /** Reads the rows as a file. The function must report its progress, and must end when the signal is aborted. */
  make(options: ReadOptions): Promise<Sheet>
  /** Called with the count of saved rows. */
  onSaved(count: number): void
  onClose(): void
}

/**
 * A dialog that saves all rows of a list as a file. It shows the progress and can be cancelled. It stays open with a message if the list
 * has more rows than the file.
 */
export function SaveRows({ file, many, total, make, onSaved, onClose }: SaveRowsProps) {
  const [count, setCount] = useState(0)
  const [isCut, setCut] = useState(false)
  const [error, setError] = useState<unknown>()
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows requested when the dialog opened are saved once
  useEffect(() => {
    const cancel = new AbortController()
    setError(undefined)
    setCount(0)
    make({ signal: cancel.signal, onRead: setCount }).then(
      (sheet) => {
        if (cancel.signal.aborted) return
        saveFile(file, sheet.text)
        setCut(sheet.isCut)
        if (sheet.isCut) return
        onSaved(sheet.count)
      },
      (problem: unknown) => {
        if (!cancel.signal.aborted) setError(problem)
      },
    )
    return () => cancel.abort()
  }, [round])
  const all = Math.max(total, count)
  return (
    <Dialog onClose={onClose} title={file}>
      <Stack gap="sm">
        {error === undefined ? null : <Problem error={error} onRetry={() => setRound((before) => before + 1)} />}
        {isCut ? (
          <Text size="sm" role="status" data-cut>
            The file contains the first {formatCount(count)} {many}; there are more. Narrower filters find the others.
          </Text>
        ) : (
          <>
            <Text size="sm" role="status" data-read={count}>
              {formatCount(count)} of {formatCount(all)} {many} are read.
            </Text>
            <progress max={Math.max(1, all)} value={count} aria-label="Rows read" style={{ width: '100%' }} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant={isCut ? 'filled' : 'default'} onClick={onClose} data-autofocus>
            {isCut ? 'Close' : 'Cancel'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
