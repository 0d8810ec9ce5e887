import { Alert, Button, Group, type ModalProps, Stack, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import type { PreviewedChange } from '../lib/use-preview.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'

interface PreviewDialogProps<Effect> extends Pick<ModalProps, 'title' | 'onClose'> {
  readonly change: PreviewedChange<Effect>
  /** Whether enough is written to ask what it would do. */
  readonly isReady: boolean
  readonly previewLabel: string
  readonly makeLabel: string
  /** Whether it may be made after its effect was seen; true by default. */
  readonly mayMake?: boolean
  /** It ends something for good. */
  readonly isDestructive?: boolean
  /** Shows what went wrong. */
  readonly problem?: ComponentType<{ readonly error: unknown }>
  /** The form, and below it the effect. */
  readonly children: ReactNode
  /** Asks the service what it would do (`dryRun`), or has it done; throws what the service refuses. */
  step(dryRun: boolean): Promise<Effect>
  onDone(effect: Effect): void
}

/** A dialog of two steps: the service says what a change would do, and then the same button makes it. */
export function PreviewDialog<Effect>({
  title,
  change: { effect, problem, isBusy, preview, make },
  isReady,
  previewLabel,
  makeLabel,
  mayMake = true,
  isDestructive = false,
  problem: ShownProblem = Problem,
  children,
  step,
  onClose,
  onDone,
}: PreviewDialogProps<Effect>) {
  return (
    <Dialog title={title} size="lg" onClose={onClose}>
      <Stack gap="sm">
        {children}
        {problem === undefined ? null : <ShownProblem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {effect === undefined ? (
            <Button onClick={() => preview(() => step(true))} loading={isBusy} disabled={!isReady}>
              {previewLabel}
            </Button>
          ) : (
            <Button
              onClick={() => make(() => step(false), onDone)}
              loading={isBusy}
              disabled={!mayMake}
              {...(isDestructive ? { color: 'red' } : {})}
            >
              {makeLabel}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** What a change would do, in sentences. */
export function Effects({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <Alert color="yellow" role="status" title="Nothing is changed yet">
      {sentences.map((sentence) => (
        <Text size="sm" key={sentence}>
          {sentence}
        </Text>
      ))}
    </Alert>
  )
}
