import { Alert, Button, Group, type ModalProps, Stack, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import type { PreviewedChange } from '../../lib/service/use-preview.ts'
import { Problem } from '../problem.tsx'
import { Dialog } from './dialog.tsx'

interface PreviewDialogProps<Effect> extends Pick<ModalProps, 'title' | 'onClose'> {
  readonly change: PreviewedChange<Effect>
  /** True if the input is complete enough to preview its effect. */
  readonly isReady: boolean
  readonly previewLabel: string
  readonly makeLabel: string
  /** True if the change may be made after its effect was previewed. The default is true. */
  readonly mayMake?: boolean
  /** True if the change is irreversible. */
  readonly isDestructive?: boolean
  /** Renders the error of the last request. The default is Problem. */
  readonly problem?: ComponentType<{ readonly error: unknown }>
  /** Renders the form, and the effect below it. */
  readonly children: ReactNode
  /** Sends the change. With `dryRun` it is only a preview. Throws an error if the service refuses the change. */
  step(dryRun: boolean): Promise<Effect>
  onDone(effect: Effect): void
}

/** A dialog with two steps. First the service returns the effect of the change. Then the same button makes the change. */
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

/** The effects of a change, in sentences. */
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
